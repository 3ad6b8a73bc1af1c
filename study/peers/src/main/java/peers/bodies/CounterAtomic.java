package peers.bodies;

import java.util.concurrent.atomic.AtomicInteger;
import peers.Body;
import peers.Threads;

/** Two threads count to two each, atomically. */
public final class CounterAtomic implements Body {
    private final AtomicInteger count = new AtomicInteger();

    @Override
    public void run(int thread) {
        count.incrementAndGet();
        count.incrementAndGet();
    }

    @Override
    public void check() {
        if (count.get() != 4) {
            throw new AssertionError("counted " + count);
        }
    }

    public static void main(String[] args) {
        Threads.run(new CounterAtomic());
    }
}
