package peers.bodies;

import peers.Body;
import peers.Threads;

/** A box that is made at first use, and shown to others before it is filled. */
public final class Publication implements Body {
    private static final class Box {
        int content;
    }

    private volatile Box box;
    private final int[] seen = new int[2];

    private Box box() {
        if (box == null) {
            synchronized (this) {
                if (box == null) {
                    box = new Box();
                    box.content = 7;
                }
            }
        }
        return box;
    }

    @Override
    public void run(int thread) {
        seen[thread] = box().content;
    }

    @Override
    public void check() {
        if (seen[0] != 7 || seen[1] != 7) {
            throw new AssertionError("seen " + seen[0] + " and " + seen[1]);
        }
    }

    public static void main(String[] args) {
        Threads.run(new Publication());
    }
}
