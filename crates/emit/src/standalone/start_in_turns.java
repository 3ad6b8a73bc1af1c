
        /** Starts the threads, which make each call when it is their turn. */
        void startInTurns() {
            for (int i = 0; i < @THREADS@; i++) {
                int number = i;
                turns[i].isUsed = true;
                threads[i] = new Thread(() -> {
                    turns[number].await();
                    run(number);
                    turns[number].over();
                }, "test thread " + (i + 1));
                threads[i].setDaemon(true);
                threads[i].start();
            }
        }
