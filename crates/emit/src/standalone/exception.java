    /** So many threads there are when no round runs: these, and one that ends the program when it is stuck. */
    static final int IDLE = Thread.activeCount() + 1;

    /** What was thrown in threads that the code under test has started, and that nobody has caught. */
    static final List<Throwable> UNCAUGHT = new ArrayList<>();

    static {
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            synchronized (UNCAUGHT) {
                UNCAUGHT.add(thrown);
            }
        });
    }

    /** An exception that a serial order ends with says nothing about threads. */
    static void explain(int order, TestRound round) throws InterruptedException {
        // Threads that were started may throw a little later, and later still where other programs keep the processors busy.
        int idle = 0;
        for (int tries = 0; tries < 1000 && idle < 50 && Thread.activeCount() > IDLE; tries++) {
            Thread.sleep(1);
            if (!othersRun()) idle++;
        }
        String violation = violation(round);
        if (violation != null) exit(0, "this proves nothing: calls one after the other end with it too: " + violation);
    }

    /** What a round that has ended shows; null if that is as it should be. */
    static String violation(TestRound round) {
        List<Throwable> all = new ArrayList<>();
        for (Throwable thrown : round.thrown) all.add(thrown);
        synchronized (UNCAUGHT) {
            all.addAll(UNCAUGHT);
            UNCAUGHT.clear();
        }
        for (Throwable thrown : all) {
            if (thrown != null && thrown.getClass().getName().equals(@EXCEPTION@)) {
                thrown.printStackTrace(System.out);
                return thrown.toString();
            }
        }
        return null;
    }
}
