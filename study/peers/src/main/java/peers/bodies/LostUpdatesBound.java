package peers.bodies;

import peers.Body;
import peers.Threads;

/** Three steps of reading and writing by each of two threads leave 2 at the least. */
public final class LostUpdatesBound implements Body {
    private volatile int count;

    @Override
    public void run(int thread) {
        for (int i = 0; i < 3; i++) {
            int seen = count;
            count = seen + 1;
        }
    }

    @Override
    public void check() {
        if (count < 2) {
            throw new AssertionError("counted " + count);
        }
    }

    public static void main(String[] args) {
        Threads.run(new LostUpdatesBound());
    }
}
