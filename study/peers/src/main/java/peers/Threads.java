package peers;

/**
 * Runs a body with threads of its own, for tools that take over threads. JCStress brings its threads and does not use this.
 *
 * <p>Written so that Lincheck 3.7 can follow it, which costs the others nothing. Threads get a named class and no lambda: on JDK 25 it does
 * not look into what a lambda captures, takes the body for an object that threads do not share, and finds nothing. The class does not
 * extend {@link Thread}: a {@code join} that is called on a subclass is not seen, and it waits for good.
 */
public final class Threads {
    private Threads() {}

    private static final class Worker implements Runnable {
        private final Body body;
        private final int number;
        private Throwable thrown;

        Worker(Body body, int number) {
            this.body = body;
            this.number = number;
        }

        @Override
        public void run() {
            try {
                body.run(number);
            } catch (Throwable e) {
                thrown = e;
            }
        }
    }

    /** Runs all threads to their end, then checks. What a thread threw is thrown here, so that no tool misses it. */
    public static void run(Body body) {
        Worker[] workers = new Worker[body.threads()];
        Thread[] threads = new Thread[body.threads()];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(body, i);
            threads[i] = new Thread(workers[i]);
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        for (Worker worker : workers) {
            if (worker.thrown != null) {
                throw new IllegalStateException(worker.thrown);
            }
        }
        body.check();
    }
}
