package peers.bodies;

import peers.Body;
import peers.Threads;

/** Two accounts pay each other under one lock for all. */
public final class TransferOneLock implements Body {
    private static final class Account {
        int balance = 10;
    }

    private final Account[] accounts = {new Account(), new Account()};
    private final Object bank = new Object();

    private void pay(Account from, Account to, int amount) {
        synchronized (bank) {
            from.balance -= amount;
            to.balance += amount;
        }
    }

    @Override
    public void run(int thread) {
        pay(accounts[thread], accounts[1 - thread], thread + 1);
    }

    @Override
    public void check() {
        if (accounts[0].balance != 11 || accounts[1].balance != 9) {
            throw new AssertionError(accounts[0].balance + " and " + accounts[1].balance);
        }
    }

    public static void main(String[] args) {
        Threads.run(new TransferOneLock());
    }
}
