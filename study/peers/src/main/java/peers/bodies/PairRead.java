package peers.bodies;

import java.util.concurrent.locks.ReentrantReadWriteLock;
import peers.Body;
import peers.Threads;

/** Two fields that belong together: the writer takes the lock to write, the reader that to read. */
public final class PairRead implements Body {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private int first;
    private int second;
    private int difference;

    @Override
    public void run(int thread) {
        if (thread == 0) {
            lock.writeLock().lock();
            first++;
            second++;
            lock.writeLock().unlock();
        } else {
            lock.readLock().lock();
            difference = first - second;
            lock.readLock().unlock();
        }
    }

    @Override
    public void check() {
        if (difference != 0) {
            throw new AssertionError("they differ by " + difference);
        }
    }

    public static void main(String[] args) {
        Threads.run(new PairRead());
    }
}
