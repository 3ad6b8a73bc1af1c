package p;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.function.Supplier;

/** Declarations that give rise to attributes of all kinds. */
public class Kinds<T extends Comparable<? super T>> {
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Seen {
        int number() default 7;
        String text() default "t";
        char letter() default 'c';
        double real() default 0.5;
        boolean flag() default true;
        Class<?> type() default int[].class;
        ElementType element() default ElementType.FIELD;
        Retention nested() default @Retention(RetentionPolicy.CLASS);
        long[] many() default {1, 2};
    }

    @interface Hidden {}

    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Use {}

    @Target(ElementType.TYPE_USE)
    @interface HiddenUse {}

    public sealed interface Shape permits Circle, Square {}

    public record Circle(@Seen(number = 1) @Use double radius, List<@Use String> names) implements Shape {}

    public record Square(int side) implements Shape {}

    public static class Task implements Runnable {
        @Override
        public void run() {}
    }

    static final long CONSTANT = 1L << 40;
    static final String TEXT = "constant";

    @Deprecated
    @Seen
    @Hidden
    @Use
    @HiddenUse
    List<? extends T>[] field;

    <E extends Exception> @Use Object method(@Seen @Hidden T first, @Use List<@HiddenUse T> second, final int third)
            throws E, IOException {
        Supplier<Object> lambda = () -> first + "x" + third;
        Object anonymous = new Object() {
            @Override
            public String toString() {
                return "anonymous";
            }
        };
        class Local {}
        for (@Use T each : second) {
            try {
                Object cast = (@Use Comparable<?>) each;
            } catch (@Use RuntimeException e) {
                return new @Use Local();
            }
        }
        return lambda.get().toString() + anonymous;
    }
}
