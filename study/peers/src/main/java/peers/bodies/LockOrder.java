package peers.bodies;

import peers.Body;
import peers.Threads;

/** Two locks, taken in opposite order. */
public final class LockOrder implements Body {
    private final Object left = new Object();
    private final Object right = new Object();
    private int taken;

    @Override
    public void run(int thread) {
        Object outer = thread == 0 ? left : right;
        Object inner = thread == 0 ? right : left;
        synchronized (outer) {
            synchronized (inner) {
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
        Threads.run(new LockOrder());
    }
}
