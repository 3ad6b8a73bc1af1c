package peers;

import java.nio.ByteBuffer;

/**
 * Counts executions. The number is outside the heap: a tool that puts the heap back before each execution leaves it, and one that
 * follows fields and arrays sees nothing of it.
 */
final class Tally {
    private static final ByteBuffer COUNT = ByteBuffer.allocateDirect(8);

    private Tally() {}

    static void add() {
        COUNT.putLong(0, executions() + 1);
    }

    static long executions() {
        return COUNT.getLong(0);
    }
}
