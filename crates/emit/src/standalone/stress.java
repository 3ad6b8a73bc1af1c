
    // What follows only repeats the above, and counts.

    /** What one thread does. */
    interface TestPart {
        void run() throws Throwable;
    }

    /** Subjects that were built, and what is done with them. */
    static final class TestRound {
        final TestPart[] parts;

        TestRound(TestPart... parts) {
            this.parts = parts;
        }

        /** Runs the test once: threads that start one after the other, then the calls afterwards. */
        void run() throws InterruptedException {
            Thread[] threads = new Thread[@THREADS@];
            for (int i = 0; i < threads.length; i++) {
                int number = i;
                threads[i] = new Thread(() -> run(number));
            }
            for (Thread thread : threads) thread.start();
            for (Thread thread : threads) thread.join();
            for (int i = threads.length; i < parts.length; i++) run(i);
        }

        void run(int number) {
            try {
                parts[number].run();
            } catch (Throwable exception) {
                // Only the time counts.
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 2;
        boolean whole = arguments.length < 2;
        endIfStuck(seconds);
        count(seconds, whole);
        System.gc();
        exit(0, String.valueOf(count(seconds, whole)));
    }

    /** What was built last: nothing of it may be left out because it is not used. */
    static volatile TestRound last;

    /** Iterations a second. */
    static double count(long seconds, boolean whole) throws InterruptedException {
        long start = System.nanoTime(), end = start + seconds * 1_000_000_000L, now;
        long done = 0;
        do {
            TestRound round = null;
            try {
                round = prepare();
            } catch (Throwable exception) {
                exit(2, "building the objects fails: " + exception);
            }
            last = round;
            if (whole) round.run();
            done++;
            now = System.nanoTime();
        } while (now - end < 0);
        return done * 1e9 / (now - start);
    }

    /** Ends the program when a thread does not end. */
    static void endIfStuck(long seconds) {
        Thread guard = new Thread(() -> {
            try {
                Thread.sleep((2 * seconds + 10) * 1000);
            } catch (InterruptedException exception) {
                return;
            }
            exit(2, "an iteration does not end");
        });
        guard.setDaemon(true);
        guard.start();
    }

    /** Leaves at once, whatever other threads do. */
    static void exit(int status, String message) {
        System.out.println(message);
        System.out.flush();
        Runtime.getRuntime().halt(status);
    }

    /** Throws an exception where it is not declared. */
    @SuppressWarnings("unchecked")
    static <T extends Throwable> RuntimeException undeclared(Throwable exception) throws T {
        throw (T) exception;
    }
}
