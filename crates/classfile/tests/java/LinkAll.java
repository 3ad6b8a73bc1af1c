import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Hashtable;
import java.util.List;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Loads and links, and so verifies, each class named in a file; then uses a few of them. With a second
 * argument it only tells whether a method of the JDK's is synchronized.
 */
public class LinkAll {
    public static void main(String[] args) throws Exception {
        if (args.length > 1) {
            int modifiers = StringBuffer.class.getMethod("length").getModifiers();
            System.out.println("synchronized " + Modifier.isSynchronized(modifiers));
            return;
        }
        int linked = 0;
        int failed = 0;
        for (String name : Files.readAllLines(Path.of(args[0]))) {
            try {
                // Asking for the methods links the class without initializing it.
                Class.forName(name, false, null).getDeclaredMethods();
                linked++;
            } catch (LinkageError e) {
                System.out.println(name + ": " + e);
                failed++;
            }
        }
        System.out.println("linked " + linked + ", failed " + failed);
        System.out.println("program " + program());
    }

    /** Works with synchronized classes, streams, formatting and threads; gives a number to compare. */
    static int program() throws Exception {
        Vector<Integer> vector = new Vector<>();
        Hashtable<String, Integer> table = new Hashtable<>();
        StringBuffer buffer = new StringBuffer();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < 1000; i++) {
                    vector.add(i);
                    synchronized (table) {
                        table.merge("k" + i % 10, 1, Integer::sum);
                    }
                    buffer.append('x');
                }
            }));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Collections.sort(vector);
        String text = vector.stream().map(i -> String.format("%03d", i % 7)).collect(Collectors.joining(","));
        ConcurrentHashMap<Character, Integer> counts = new ConcurrentHashMap<>();
        for (char c : text.toCharArray()) {
            counts.merge(c, 1, Integer::sum);
        }
        try {
            vector.get(1_000_000);
        } catch (ArrayIndexOutOfBoundsException e) {
            // The monitor must be free again: this would wait forever else.
            Thread other = new Thread(vector::size);
            other.start();
            other.join();
        }
        return counts.hashCode() + table.hashCode() + buffer.length();
    }
}
