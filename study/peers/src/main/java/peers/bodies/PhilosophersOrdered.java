package peers.bodies;

import java.util.concurrent.locks.ReentrantLock;
import peers.Body;
import peers.Threads;

/** Three philosophers at a table with three forks: each takes the lower fork first. */
public final class PhilosophersOrdered implements Body {
    private final ReentrantLock[] forks = {new ReentrantLock(), new ReentrantLock(), new ReentrantLock()};
    private final boolean[] ate = new boolean[3];

    @Override
    public int threads() {
        return 3;
    }

    @Override
    public void run(int thread) {
        int next = (thread + 1) % 3;
        ReentrantLock first = forks[Math.min(thread, next)];
        ReentrantLock second = forks[Math.max(thread, next)];
        first.lock();
        second.lock();
        ate[thread] = true;
        second.unlock();
        first.unlock();
    }

    @Override
    public void check() {
        if (!ate[0] || !ate[1] || !ate[2]) {
            throw new AssertionError("someone is hungry");
        }
    }

    public static void main(String[] args) {
        Threads.run(new PhilosophersOrdered());
    }
}
