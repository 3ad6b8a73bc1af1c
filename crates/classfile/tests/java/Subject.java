import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Code of many shapes, for edits to carry along. */
public class Subject {
    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Noted {}

    static class Base {
        final String name;

        Base(String name) {
            if (name.isEmpty()) {
                throw new IllegalArgumentException("empty");
            }
            this.name = name;
        }
    }

    /** Branches before the other constructor is called, and returns and throws after it. */
    static class Derived extends Base {
        int size;

        Derived(boolean wide, String text) {
            super(wide ? text + text : text);
            if (text.length() > 3) {
                size = text.length();
                return;
            }
            for (int i = 0; i < 3; i++) {
                size += i;
                if (text.equals("bad")) {
                    throw new IllegalStateException(text);
                }
            }
        }
    }

    static int initialized = 1 + Integer.parseInt("2");
    static List<String> names = new ArrayList<>(Arrays.asList("a", "b"));

    static int loops(int n) {
        int sum = 0;
        long wide = 7;
        double real = 0.5;
        for (int i = 0; i < n; i++) {
            switch (i % 5) {
                case 0: sum += 1; break;
                case 1: sum += 20; break;
                case 2: wide += i; continue;
                default: sum -= 3;
            }
            switch (i) {
                case -1000: sum = 0; break;
                case 7: sum += 1000; break;
                case 100000: sum = 1; break;
                default: real += 0.25;
            }
            String text = new String(i % 2 == 0 ? "even" : new StringBuilder("odd").toString());
            sum += text.length();
        }
        return sum + (int) wide + (int) (real * 4);
    }

    static String handlers(int n) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < n; i++) {
            try {
                try {
                    if (i % 3 == 0) {
                        throw new IllegalStateException("s" + i);
                    }
                    out.append(10 / (i % 4)).append(' ');
                } catch (ArithmeticException | IllegalStateException e) {
                    out.append(e.getMessage()).append(' ');
                    if (i > 6) {
                        throw e;
                    }
                } finally {
                    out.append("f ");
                }
            } catch (@Noted RuntimeException e) {
                out.append("outer ");
            }
        }
        return out.toString();
    }

    static Object annotated(Object value) {
        @Noted String local = (@Noted String) value;
        List<@Noted String> list = new @Noted ArrayList<@Noted String>();
        list.add(local);
        if (value instanceof @Noted String) {
            @Noted Object other = new @Noted StringBuilder(local);
            return other.toString() + list;
        }
        return local;
    }

    static int add(int a, int b) {
        return a + b;
    }

    static int choose(int a) {
        if (a > 0) {
            return a;
        }
        return -a;
    }

    static synchronized long lockedStatic(long a, double b, Object[] c) {
        long result = a;
        for (Object o : c) {
            if (o == null) {
                return -1;
            }
            result += o.hashCode() + (long) b;
        }
        return result;
    }

    synchronized Object lockedSelf(int n) {
        if (n == 0) {
            throw new IllegalArgumentException("zero");
        }
        Object held = n > 5 ? "many" : Integer.valueOf(n);
        return held;
    }

    static String made(boolean wide, String text) {
        try {
            Derived made = new Derived(wide, text);
            return made.name + made.size;
        } catch (RuntimeException e) {
            return e.getMessage();
        }
    }

    static String all() {
        StringBuilder out = new StringBuilder();
        out.append(loops(50)).append('\n').append(handlers(12)).append('\n').append(annotated("x")).append('\n');
        out.append(add(3, 4)).append(choose(5)).append(choose(-6)).append('\n');
        out.append(lockedStatic(5, 2.5, new Object[] {1, 2, 3})).append(lockedStatic(1, 1, new Object[] {null}));
        Subject subject = new Subject();
        out.append(subject.lockedSelf(3)).append(subject.lockedSelf(9));
        try {
            subject.lockedSelf(0);
        } catch (IllegalArgumentException e) {
            out.append(e.getMessage()).append(Thread.holdsLock(subject));
        }
        out.append('\n');
        for (String text : new String[] {"", "a", "bad", "long"}) {
            out.append(made(false, text)).append(' ').append(made(true, text)).append(' ');
        }
        return out.append(initialized).append(names).toString();
    }

    public static void main(String[] args) throws Exception {
        System.out.println(all());
        for (String name : args) {
            if (name.equals("hits")) {
                System.out.println("hits " + Probe.hits);
            } else if (name.equals("log")) {
                System.out.println("log " + Probe.log);
            } else {
                System.out.println(name + " " + Class.forName("Subject").getDeclaredMethod(name).invoke(null));
            }
        }
    }
}
