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
