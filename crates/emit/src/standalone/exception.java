    /** An exception that a serial order ends with says nothing about threads. */
    static void explain(int order, TestRound round) {
        String violation = violation(round);
        if (violation != null) exit(0, "this proves nothing: calls one after the other end with it too: " + violation);
    }

    /** What a round that has ended shows; null if that is as it should be. */
    static String violation(TestRound round) {
        for (Throwable thrown : round.thrown) {
            if (thrown != null && thrown.getClass().getName().equals(@EXCEPTION@)) {
                thrown.printStackTrace(System.out);
                return thrown.toString();
            }
        }
        return null;
    }
}
