package peers.bodies;

import peers.Body;
import peers.Threads;

/** Two threads count to two each, without any lock. */
public final class Counter implements Body {
    private int count;

    @Override
    public void run(int thread) {
        count++;
        count++;
    }

    @Override
    public void check() {
        if (count != 4) {
            throw new AssertionError("counted " + count);
        }
    }

    public static void main(String[] args) {
        Threads.run(new Counter());
    }
}
