package peers.bodies;

import peers.Body;
import peers.Threads;

/** A lock that spins until it is free and takes it then, in two steps. */
public final class SpinLock implements Body {
    private volatile boolean locked;
    private int count;

    @Override
    public void run(int thread) {
        while (locked) {
            Thread.onSpinWait();
        }
        locked = true;
        count++;
        locked = false;
    }

    @Override
    public void check() {
        if (count != 2) {
            throw new AssertionError("counted " + count);
        }
    }

    public static void main(String[] args) {
        Threads.run(new SpinLock());
    }
}
