package peers;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckAssertionError;

/**
 * Runs a body under Lincheck's model checking of general concurrent code, and says in lines of JSON how it went.
 *
 * <p>{@code fail NAME SECONDS} runs it until it fails, then finds how many executions that takes: the fewest invocations with which it
 * fails, which is well defined since Lincheck chooses with a fixed seed. That cannot be read off the counter, as Lincheck runs a failure
 * again to tell it. {@code pass NAME SECONDS SECONDS} runs it until nothing is left or the first time is over, then, if nothing is left,
 * again and again until the second time is over, for the rate.
 */
public final class LincheckRun {
    private static final PrintStream OUT = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
    private static final int NO_LIMIT = 1_000_000_000;

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
        long seconds = Long.parseLong(args[2]);
        Watch.begin(seconds, () -> {
            say("time over");
            OUT.println(Watch.rate());
        });
        boolean failed = fails(execution, NO_LIMIT);
        say(failed ? "failed" : "exhausted");
        if (args[0].equals("fail") && failed) {
            Watch.begin(seconds * 4, () -> { });
            OUT.println("{\"least\":" + least(execution) + "}");
        } else if (args[0].equals("pass") && !failed) {
            Watch.begin(Long.parseLong(args[3]), () -> OUT.println(Watch.rate()));
            while (!fails(execution, NO_LIMIT)) {
                // Until the watch ends the program.
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static boolean fails(Runnable execution, int invocations) {
        try {
            Lincheck.runConcurrentTest(invocations, execution);
            return false;
        } catch (LincheckAssertionError e) {
            return true;
        }
    }

    private static int least(Runnable execution) {
        int enough = 1;
        while (!fails(execution, enough)) {
            enough *= 2;
        }
        int few = enough / 2;
        while (enough - few > 1) {
            int middle = (few + enough) / 2;
            if (fails(execution, middle)) {
                enough = middle;
            } else {
                few = middle;
            }
        }
        return enough;
    }

    private static void say(String end) {
        OUT.println("{\"end\":\"" + end + "\",\"executions\":" + Tally.executions() + ",\"seconds\":" + Watch.seconds()
                + ",\"processor_seconds\":" + Watch.processorSeconds() + "}");
    }
}
