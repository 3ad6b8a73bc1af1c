import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Something of everything that is shown. Its line numbers are expected by the test. */
public class Shop<T extends Comparable<? super T> & Serializable> extends ArrayList<T> implements Iterable<T> {
    static final String TEXT = "a \"b\" \\ \n\t\0, (\uD83D\uDE00 \uD800";
    public static final char QUOTE = '\'';
    static final boolean OPEN = true;
    static final byte LOW = -3;
    static final long FAR = 5_000_000_000L;
    static final float HALF = 0.5f;
    static final double NONE = Double.NaN;
    protected volatile Map<String, List<? extends T>> shelf = new HashMap<>();

    static {
        System.out.println(TEXT);
    }

    public Shop() {
    }

    <X extends Exception> Shop(int n, X x) throws X {
        throw x;
    }

    @SafeVarargs
    public final synchronized <U> U first(Function<? super T, ? extends U> f, T... all) throws IOException {
        return f.apply(all[0]);
    }

    int locked() {
        synchronized (this) {
            synchronized (shelf) {
                return 1;
            }
        }
    }

    native void carry();

    int choose(int i, String s) {
        switch (i) {
            case 1:
                return 1;
            case 2:
                return 500;
            case 1000:
                return 100_000;
            default:
                return -1;
        }
    }

    int dense(int i) {
        switch (i) {
            case -1:
                return 7;
            case 0:
                return 8;
            case 1:
                return 9;
            default:
                return 10;
        }
    }

    Runnable later(int k) {
        return () -> System.out.println(k);
    }

    int[][] grid() {
        try {
            return new int[3][4];
        } catch (RuntimeException e) {
            return null;
        }
    }

    Object anonymous() {
        return new Object() {
        };
    }

    enum Color {
        RED, GREEN
    }

    record Point<N extends Number>(N x, List<String> names) {
    }

    sealed interface Shape permits Round, Square {
        default int sides() {
            return 0;
        }
    }

    static final class Round implements Shape {
    }

    static non-sealed class Square implements Shape {
    }

    @interface Note {
        String value() default "none";
    }

    private abstract static class Inner implements Map.Entry<String, int[]> {
        abstract int v();
    }
}
