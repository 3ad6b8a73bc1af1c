package peers.bodies;

import java.util.concurrent.ConcurrentHashMap;
import peers.Body;
import peers.Threads;

/** Both threads look whether a name is taken, and take it. */
public final class Registry implements Body {
    private final ConcurrentHashMap<String, Integer> owners = new ConcurrentHashMap<>();
    private final boolean[] took = new boolean[2];

    @Override
    public void run(int thread) {
        if (!owners.containsKey("name")) {
            owners.put("name", thread);
            took[thread] = true;
        }
    }

    @Override
    public void check() {
        if (took[0] == took[1]) {
            throw new AssertionError("both took it");
        }
    }

    public static void main(String[] args) {
        Threads.run(new Registry());
    }
}
