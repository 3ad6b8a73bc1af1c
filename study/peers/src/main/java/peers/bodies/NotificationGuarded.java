package peers.bodies;

import peers.Body;
import peers.Threads;

/** One thread waits to be told, unless it was told before. */
public final class NotificationGuarded implements Body {
    private boolean told;

    @Override
    public void run(int thread) throws InterruptedException {
        synchronized (this) {
            if (thread == 0) {
                while (!told) {
                    wait();
                }
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
        Threads.run(new NotificationGuarded());
    }
}
