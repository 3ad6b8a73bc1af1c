package peers.bodies;

import peers.Body;
import peers.Threads;

/** Two accounts pay each other under the account that pays. */
public final class Transfer implements Body {
    private static final class Account {
        int balance = 10;
    }

    private final Account[] accounts = {new Account(), new Account()};

    private void pay(Account from, Account to, int amount) {
        synchronized (from) {
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
        Threads.run(new Transfer());
    }
}
