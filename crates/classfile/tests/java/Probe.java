/** Counts what inserted code reports. */
public class Probe {
    static int hits;
    static final StringBuilder log = new StringBuilder();

    public static void hit() {
        hits++;
    }

    public static void enter(Object lock) {
        log.append("enter ");
    }

    public static void leave(Object lock) {
        log.append("leave ");
    }

    public static void thrown(Object lock) {
        log.append("thrown ");
    }
}
