package peers.bodies;

import java.util.concurrent.ConcurrentHashMap;
import peers.Body;
import peers.Threads;

/** Both threads take a name if it is not taken, in one step. */
public final class RegistryAbsent implements Body {
    private final ConcurrentHashMap<String, Integer> owners = new ConcurrentHashMap<>();
    private final boolean[] took = new boolean[2];

    @Override
    public void run(int thread) {
        took[thread] = owners.putIfAbsent("name", thread) == null;
    }

    @Override
    public void check() {
        if (took[0] == took[1]) {
            throw new AssertionError("both took it");
        }
    }

    public static void main(String[] args) {
        Threads.run(new RegistryAbsent());
    }
}
