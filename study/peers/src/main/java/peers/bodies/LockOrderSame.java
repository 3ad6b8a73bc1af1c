package peers.bodies;

import peers.Body;
import peers.Threads;

/** Two locks, taken in the same order. */
public final class LockOrderSame implements Body {
    private final Object left = new Object();
    private final Object right = new Object();
    private int taken;

    @Override
    public void run(int thread) {
        synchronized (left) {
            synchronized (right) {
                taken++;
            }
        }
    }

    @Override
    public void check() {
        if (taken != 2) {
            throw new AssertionError("taken " + taken);
        }
    }

    public static void main(String[] args) {
        Threads.run(new LockOrderSame());
    }
}
