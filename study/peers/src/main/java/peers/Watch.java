package peers;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Ends the program when it has had its processor time, counted from the first execution: on a busy machine a clock would be unfair. */
final class Watch {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    /** Processor time and executions by then, since the watch began. */
    private static List<long[]> seen;
    private static Thread watch;

    private Watch() {}

    /** Begins to count anew, and runs what is given before the end. */
    static synchronized void begin(long seconds, Runnable last) {
        if (watch != null) {
            watch.interrupt();
        }
        List<long[]> mine = new ArrayList<>();
        seen = mine;
        long before = Tally.executions();
        watch = new Thread(() -> {
            try {
                while (Tally.executions() == before) {
                    Thread.sleep(5);
                }
                do {
                    mine.add(new long[] {SYSTEM.getProcessCpuTime(), Tally.executions()});
                    Thread.sleep(20);
                } while (SYSTEM.getProcessCpuTime() - mine.get(0)[0] < seconds * 1_000_000_000L);
                last.run();
                Runtime.getRuntime().halt(0);
            } catch (InterruptedException e) {
                // Another watch has begun.
            }
        });
        watch.setDaemon(true);
        watch.start();
    }

    /** Executions in the second half of the time, when the JVM is warm. */
    static String rate() {
        long[] half = seen.get(seen.size() / 2);
        long[] end = seen.get(seen.size() - 1);
        return "{\"rate_executions\":" + (end[1] - half[1]) + ",\"rate_processor_nanos\":" + (end[0] - half[0]) + "}";
    }

    static double processorSeconds() {
        return SYSTEM.getProcessCpuTime() / 1e9;
    }

    /** Since the JVM was started. */
    static double seconds() {
        return ManagementFactory.getRuntimeMXBean().getUptime() / 1e3;
    }
}
