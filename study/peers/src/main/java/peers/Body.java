package peers;

/** A small concurrent test that every tool runs as it is: shared state in fields, what each thread does, and what must hold after. */
public interface Body {
    /** How many threads there are. */
    default int threads() {
        return 2;
    }

    /** What one thread does, numbered from 0. */
    void run(int thread) throws Exception;

    /** Says by an exception that something is wrong, when all threads are over. */
    void check();
}
