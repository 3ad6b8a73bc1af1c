package peers.bodies;

import java.util.Vector;
import peers.Body;
import peers.Threads;

/** Both threads look whether a vector has an element and remove the last one, under the vector's lock. */
public final class LastElementLocked implements Body {
    private final Vector<String> vector = new Vector<>();

    public LastElementLocked() {
        vector.add("only");
    }

    @Override
    public void run(int thread) {
        synchronized (vector) {
            if (!vector.isEmpty()) {
                vector.remove(vector.size() - 1);
            }
        }
    }

    @Override
    public void check() {
        if (!vector.isEmpty()) {
            throw new AssertionError("something is left");
        }
    }

    public static void main(String[] args) {
        Threads.run(new LastElementLocked());
    }
}
