
    // What follows only repeats the above.

    /** What one thread does. */
    @PUBLIC@interface TestPart {
        void run(@RUN_PARAMETERS@) throws Throwable;
    }

    /** Subjects that were built, and what is done with them. */
    @PUBLIC@static final class TestRound {
        final TestPart[] parts;
        final Thread[] threads;
        final Throwable[] thrown;
        /** So many threads are not there yet. */
        final AtomicInteger missing;
@ROUND_FIELDS@
        @PUBLIC@TestRound(@ROUND_PARAMETERS@TestPart... parts) {
            this.parts = parts;
            threads = new Thread[parts.length];
            thrown = new Throwable[parts.length];
            missing = new AtomicInteger(@THREADS@);
@ROUND_SET@        }

        /** Starts the threads. They go on when all are there; one of them a moment later, by chance. */
        void start(Random random) {
            int late = random.nextInt(@THREADS@);
            for (int i = 0; i < @THREADS@; i++) {
                int number = i;
                int delay = i == late ? random.nextInt(1 << random.nextInt(12)) : 0;
                threads[i] = new Thread(() -> {
                    missing.decrementAndGet();
                    for (int spins = 0; missing.get() > 0; spins++) {
                        if (spins < 10_000) Thread.onSpinWait(); else Thread.yield();
                    }
                    for (int spins = 0; spins < delay; spins++) missing.get();
                    run(number);
                }, "test thread " + (i + 1));
                threads[i].setDaemon(true);
                threads[i].start();
            }
        }
@START_LAST@@START_IN_TURNS@
        void run(int number) {
            try {
                parts[number].run(@RUN_ARGUMENTS@);
            } catch (Throwable exception) {
                thrown[number] = exception;
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        long rounds = arguments.length > 0 ? Long.parseLong(arguments[0]) : @ROUNDS@L;
        long seconds = arguments.length > 1 ? Long.parseLong(arguments[1]) : @SECONDS@L;
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        endIfStuck(seconds);
@RUN_SERIALLY@        Random random = new Random(@SEED@L);
        Throwable invalid = null;
        long done = 0, left = rounds;
        for (; left > 0 && System.nanoTime() - end < 0; left--) {
            TestRound round;
            try {
                round = prepare();
            } catch (Throwable exception) {
                // The subjects could not be built: the round does not count.
                invalid = exception;
                continue;
            }
            round.start(random);
            if (!ended(round.threads, done + 1, end)) continue;
            done++;
@RUN_LAST@            String violation = violation(round);
            if (violation != null) exit(1, "round " + done + ": " + violation);
        }
        if (done == 0 && invalid != null) {
            invalid.printStackTrace(System.out);
            exit(2, "no round could run: building the subjects fails");
        }
        exit(0, "not seen in " + done + " rounds" + (stuckSerially ? "; serial orders can be stuck" : ""));
    }

    /** Calls one after the other can be stuck as well: a round that is stuck proves nothing then. */
    static boolean stuckSerially = false;

    /**
     * Waits until the threads have ended; false if they go on when time is over, or are stuck and that proves nothing. Exits
     * if they never will.
     */
    static boolean ended(Thread[] threads, long round, long end) throws InterruptedException {
        long start = System.nanoTime();
        ThreadMXBean management = ManagementFactory.getThreadMXBean();
        for (int i = 0; i < threads.length && threads[i] != null; i++) {
            while (threads[i].isAlive()) {
                threads[i].join(100);
                long waited = System.nanoTime() - start;
                if (waited > 1_000_000_000L && threads[i].isAlive()) {
                    boolean dead = !stuckSerially && management.findDeadlockedThreads() != null;
                    if (dead) exit(1, "round " + round + ": deadlock" + waits(threads));
                    boolean blocked = true, running = false;
                    for (Thread thread : threads) {
                        if (thread == null || !thread.isAlive()) continue;
                        Thread.State state = thread.getState();
                        blocked &= state == Thread.State.BLOCKED || state == Thread.State.WAITING;
                        running |= state == Thread.State.RUNNABLE;
                    }
                    if (waited > 5_000_000_000L) {
                        if (stuckSerially) return false;
                        if (threads[i].isAlive() && blocked) exit(1, "round " + round + ": deadlock: nobody goes on" + waits(threads));
                        if (@RUNNING_IS_WRONG@ && running) exit(1, "round " + round + ": hang: a thread does not end" + waits(threads));
                    }
                }
                if (System.nanoTime() - end > 0 && threads[i].isAlive()) return false;
            }
        }
        return true;
    }

    /** Where threads are, and which lock each waits for. */
    static String waits(Thread[] threads) {
        StringBuilder text = new StringBuilder();
        ThreadMXBean management = ManagementFactory.getThreadMXBean();
        for (Thread thread : threads) {
            if (thread == null || !thread.isAlive()) continue;
            ThreadInfo info = management.getThreadInfo(new long[] {thread.getId()}, true, true)[0];
            if (info == null) continue;
            text.append("\n\"").append(info.getThreadName()).append("\" is ").append(info.getThreadState());
            if (info.getLockName() != null) text.append(", waits for ").append(info.getLockName());
            if (info.getLockOwnerName() != null) {
                text.append(", held by \"").append(info.getLockOwnerName()).append('"');
            }
            StackTraceElement[] stack = info.getStackTrace();
            for (int depth = 0; depth < stack.length; depth++) {
                text.append("\n    at ").append(stack[depth]);
                for (MonitorInfo lock : info.getLockedMonitors()) {
                    if (lock.getLockedStackDepth() == depth) text.append("\n      holds ").append(lock);
                }
            }
        }
        return text.toString();
    }

    /** Ends the program when the main thread itself does not come back. */
    static void endIfStuck(long seconds) {
        Thread guard = new Thread(() -> {
            try {
                Thread.sleep((seconds + 10) * 1000);
            } catch (InterruptedException exception) {
                return;
            }
            exit(0, "not seen: building the subjects or looking at them does not end");
        });
        guard.setDaemon(true);
        guard.start();
    }

    /** Leaves at once, whatever other threads do. */
    static void exit(int status, String message) {
        System.out.println(message);
        System.out.flush();
        Runtime.getRuntime().halt(status);
    }

    /** Throws an exception where it is not declared. */
    @SuppressWarnings("unchecked")
    @PUBLIC@static <T extends Throwable> RuntimeException undeclared(Throwable exception) throws T {
        throw (T) exception;
    }

