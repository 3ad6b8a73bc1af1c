    /** What a round that has ended shows: nothing, for the threads ended. */
    static String violation(TestRound round) {
        return null;
    }
}
