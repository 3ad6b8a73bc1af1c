package peers.bodies;

import peers.Body;
import peers.Threads;

/** One thread waits to be told, and does not look whether it was told before. */
public final class Notification implements Body {
    private boolean told;

    @Override
    public void run(int thread) throws InterruptedException {
        synchronized (this) {
            if (thread == 0) {
                wait();
            } else {
                told = true;
                notify();
            }
        }
    }

    @Override
    public void check() {
        if (!told) {
            throw new AssertionError("not told");
        }
    }

    public static void main(String[] args) {
        Threads.run(new Notification());
    }
}
