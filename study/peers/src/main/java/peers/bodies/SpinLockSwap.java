package peers.bodies;

import java.util.concurrent.atomic.AtomicBoolean;
import peers.Body;
import peers.Threads;

/** A lock that spins until it is free and takes it then, in one step. */
public final class SpinLockSwap implements Body {
    private final AtomicBoolean locked = new AtomicBoolean();
    private int count;

    @Override
    public void run(int thread) {
        while (!locked.compareAndSet(false, true)) {
            Thread.onSpinWait();
        }
        count++;
        locked.set(false);
    }

    @Override
    public void check() {
        if (count != 2) {
            throw new AssertionError("counted " + count);
        }
    }

    public static void main(String[] args) {
        Threads.run(new SpinLockSwap());
    }
}
