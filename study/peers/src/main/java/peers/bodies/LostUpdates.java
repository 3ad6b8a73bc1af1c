package peers.bodies;

import peers.Body;
import peers.Threads;

/** Three steps of reading and writing by each of two threads can leave 2. This claims that they cannot: four preemptions are needed. */
public final class LostUpdates implements Body {
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
        if (count < 3) {
            throw new AssertionError("counted " + count);
        }
    }

    public static void main(String[] args) {
        Threads.run(new LostUpdates());
    }
}
