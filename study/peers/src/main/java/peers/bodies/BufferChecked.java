package peers.bodies;

import peers.Body;
import peers.Threads;

/** A buffer with one place, which is looked at again after a wait. The producer takes back what nobody took. */
public final class BufferChecked implements Body {
    private Integer content;
    private int taken;

    private synchronized void put(int value) {
        content = value;
        notify();
    }

    private synchronized void takeBack() {
        content = null;
    }

    private synchronized int take() throws InterruptedException {
        while (content == null) {
            wait();
        }
        int value = content;
        content = null;
        return value;
    }

    @Override
    public void run(int thread) throws InterruptedException {
        if (thread == 0) {
            taken = take();
        } else {
            put(1);
            takeBack();
            put(2);
        }
    }

    @Override
    public void check() {
        if (taken != 1 && taken != 2) {
            throw new AssertionError("took " + taken);
        }
    }

    public static void main(String[] args) {
        Threads.run(new BufferChecked());
    }
}
