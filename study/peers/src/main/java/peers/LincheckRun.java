package peers;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import org.jetbrains.lincheck.Lincheck;

/**
 * Runs a body under Lincheck's model checking of general concurrent code, and says in one line of JSON how it went.
 *
 * <p>{@code once NAME INVOCATIONS SECONDS} runs until it fails, until nothing is left to run, or until the time is over. {@code often} does
 * the same again and again until the time is over, for a rate that does not depend on how soon nothing is left. {@code least} finds how
 * many executions it takes to fail: the fewest invocations with which it fails, which is well defined since Lincheck chooses with a fixed
 * seed. That cannot be read off the counter, as Lincheck runs a failure again to tell it.
 */
public final class LincheckRun {
    private static final PrintStream OUT = new PrintStream(new FileOutputStream(FileDescriptor.out), true);

    private LincheckRun() {}

    /** One execution. A named class, for the reason that {@link Threads} has. */
    private static final class Execution implements Runnable {
        private final String name;

        Execution(String name) {
            this.name = name;
        }

        @Override
        public void run() {
            Tally.add();
            Threads.run(Bodies.make(name));
        }
    }

    public static void main(String[] args) {
        Runnable execution = new Execution(args[1]);
        int invocations = Integer.parseInt(args[2]);
        watch(Long.parseLong(args[3]));
        switch (args[0]) {
            case "once" -> {
                Throwable failure = failure(execution, invocations);
                String end = failure != null ? "failed" : Tally.executions() < invocations ? "exhausted" : "invocations over";
                say(end, failure, 0, 0);
            }
            case "often" -> {
                while (true) {
                    failure(execution, invocations);
                }
            }
            case "least" -> OUT.println("{\"least\":" + least(execution, invocations) + "}");
            default -> throw new IllegalArgumentException(args[0]);
        }
        Runtime.getRuntime().halt(0);
    }

    private static Throwable failure(Runnable execution, int invocations) {
        try {
            Lincheck.runConcurrentTest(invocations, execution);
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    private static int least(Runnable execution, int invocations) {
        int enough = 1;
        while (failure(execution, enough) == null) {
            if (enough >= invocations) {
                return 0;
            }
            enough *= 2;
        }
        int few = enough / 2;
        while (enough - few > 1) {
            int middle = (few + enough) / 2;
            if (failure(execution, middle) == null) {
                few = middle;
            } else {
                enough = middle;
            }
        }
        return enough;
    }

    /** Ends everything when the time is over. What the second half of it came to is told apart: by then the JVM is warm. */
    private static void watch(long seconds) {
        Thread watch = new Thread(() -> {
            try {
                Thread.sleep(seconds * 500);
                long executions = Tally.executions();
                long nanos = System.nanoTime();
                Thread.sleep(seconds * 500);
                say("time over", null, Tally.executions() - executions, System.nanoTime() - nanos);
                Runtime.getRuntime().halt(0);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        watch.setDaemon(true);
        watch.start();
    }

    private static void say(String end, Throwable failure, long warmExecutions, long warmNanos) {
        String what = failure == null ? "" : failure.getClass().getSimpleName();
        OUT.println("{\"end\":\"" + end + "\",\"executions\":" + Tally.executions() + ",\"warm_executions\":" + warmExecutions
                + ",\"warm_nanos\":" + warmNanos + ",\"what\":\"" + what + "\"}");
    }
}
