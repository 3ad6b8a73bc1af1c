    /** How many calls each thread makes. */
    static final int[] CALLS = {@CALLS@};

    /** All orders of the calls that keep the order of each thread: the number of a thread for each call. */
    static final List<int[]> ORDERS = new ArrayList<>();

    /** The orders that do not come to an end. */
    static final boolean[] LEFT_OUT = leaveOutNone();

    static boolean[] leaveOutNone() {
        int count = 0;
        for (int calls : CALLS) count += calls;
        addOrders(CALLS.clone(), new int[count], 0);
        return new boolean[ORDERS.size()];
    }

    static void addOrders(int[] left, int[] order, int at) {
        if (at == order.length) ORDERS.add(order.clone());
        for (int number = 0; number < left.length; number++) {
            if (left[number] == 0) continue;
            left[number]--;
            order[at] = number;
            addOrders(left, order, at + 1);
            left[number]++;
        }
    }

    /** Runs the calls one after the other, in each order, until time is over; false if it was. */
    static boolean runSerially(long end) throws InterruptedException {
        for (int order = 0; order < ORDERS.size(); order++) {
            if (System.nanoTime() - end > 0) return false;
            if (LEFT_OUT[order]) continue;
            TestRound round = preparedForSure();
            if (runInOrder(round, ORDERS.get(order))) {
                for (int i = @THREADS@; i < round.parts.length; i++) round.run(i);
                explain(order, round);
            } else {
                LEFT_OUT[order] = true;
                for (Thread thread : round.threads) if (thread != null) thread.interrupt();
            }
        }
        return true;
    }

    static TestRound preparedForSure() {
        for (int tries = 1; ; tries++) {
            try {
                return prepare();
            } catch (Throwable exception) {
                if (tries < 100) continue;
                exception.printStackTrace(System.out);
                exit(2, "no round could run: building the subjects fails");
            }
        }
    }

    /**
     * Makes the calls in that order, each in the thread that makes it in all rounds. While one has to wait, the next ones
     * are made all the same. False if somebody is stuck in the end, or is to make a call while another one still waits.
     */
    static boolean runInOrder(TestRound round, int[] order) throws InterruptedException {
        boolean[] waits = new boolean[@THREADS@];
        round.startInTurns();
        for (int number : order) {
            if (waits[number]) return false;
            round.turns[number].begin();
            waits[number] = true;
            // Others that waited may have gone on.
            for (int i = 0; i < @THREADS@; i++) waits[i] = waits[i] && !round.turns[i].ends(round.threads[i]);
        }
        for (int i = 0; i < @THREADS@; i++) {
            if (waits[i] && !round.turns[i].ends(round.threads[i])) {
                stuckSerially = true;
                return false;
            }
            round.threads[i].join();
        }
        return true;
    }

    /** Whether any other thread would go on if it had a processor: it may be the one that is waited for. */
    static boolean othersRun() {
        Thread[] threads = new Thread[Thread.activeCount() + 10];
        int count = Thread.enumerate(threads);
        for (int i = 0; i < count; i++) {
            if (threads[i] != Thread.currentThread() && threads[i].getState() == Thread.State.RUNNABLE) return true;
        }
        return false;
    }

    /** Where calls run one after the other, says whose turn it is. */
    @PUBLIC@static final class TestTurn {
        /** False in rounds where threads do as they like. */
        boolean isUsed;
        final Semaphore begun = new Semaphore(0);
        final Semaphore ended = new Semaphore(0);
        volatile boolean isInCall;

        /** Called by the thread between two calls. */
        @PUBLIC@void next() {
            if (!isUsed) return;
            isInCall = false;
            ended.release();
            await();
        }

        void await() {
            begun.acquireUninterruptibly();
            isInCall = true;
        }

        /** Called by the thread in the end; the calls that it did not come to have ended too. */
        void over() {
            isInCall = false;
            ended.release(1_000_000);
        }

        void begin() {
            begun.release();
        }

        /** Waits for the end of a call; false if it does not go on by itself. */
        boolean ends(Thread thread) throws InterruptedException {
            int idle = 0;
            for (int tries = 0; tries < 3000; tries++) {
                if (ended.tryAcquire(1, TimeUnit.MILLISECONDS)) return true;
                Thread.State state = thread.getState();
                boolean waits = state == Thread.State.BLOCKED || state == Thread.State.WAITING;
                idle = waits && isInCall && !othersRun() ? idle + 1 : 0;
                if (idle == 50) return false;
            }
            return false;
        }
    }

