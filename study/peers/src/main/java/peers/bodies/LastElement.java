package peers.bodies;

import java.util.Vector;
import peers.Body;
import peers.Threads;

/** Both threads look whether a vector has an element, and remove the last one. */
public final class LastElement implements Body {
    private final Vector<String> vector = new Vector<>();

    public LastElement() {
        vector.add("only");
    }

    @Override
    public void run(int thread) {
        if (!vector.isEmpty()) {
            vector.remove(vector.size() - 1);
        }
    }

    @Override
    public void check() {
        if (!vector.isEmpty()) {
            throw new AssertionError("something is left");
        }
    }

    public static void main(String[] args) {
        Threads.run(new LastElement());
    }
}
