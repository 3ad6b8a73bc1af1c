//! The classes, as Java.

/// An interface, a class that gets one and looks into it, and, in a package of which neither knows, what implements
/// it; a class whose finalizer anyone may call; a class inside another one; one that a builder makes which wants to
/// be told much; one that takes back what it has given out; one that is given objects of which some can change; one
/// that lends what anyone can make, with a function and with texts for its exceptions; one that is given what only a builder
/// beside it builds; one that is made of what only another of its kind tells; one that is given spans, whose ends must be in
/// order; a pool of anything, which takes back what it has lent; a web whose threads need two knots that are there.
pub const SOURCES: [(&str, &str); 31] = [
    (
        "holes/Ruler.java",
        "package holes;
         public class Ruler {
             public static final class Span {
                 final int from, to;
                 public Span(int from, int to) {
                     if (from < 3 || to <= from || to > 40) { throw new IllegalArgumentException(); }
                     this.from = from;
                     this.to = to;
                 }
             }
             private Span last = new Span(3, 4);
             public void mark(Span span) { last = span; }
             public int length() { return last.to - last.from; }
         }",
    ),
    (
        "holes/Web.java",
        "package holes;
         import java.util.HashMap;
         import java.util.HashSet;
         import java.util.Map;
         import java.util.Set;
         public class Web {
             private final Map<String, Set<String>> knots = new HashMap<>();
             public void tie(String knot) { knots.put(knot, new HashSet<>()); }
             public void spin(String from, String to) {
                 if (from.equals(to) || !knots.containsKey(to)) { throw new IllegalArgumentException(); }
                 knots.get(from).add(to);
             }
             public int size() { return knots.size(); }
         }",
    ),
    (
        "holes/Loom.java",
        "package holes;
         public class Loom {
             private final ThreadLocal<String> warp = new ThreadLocal<>();
             private int woven;
             public void warp(String thread) { warp.set(thread); }
             public void weave() {
                 if (warp.get() == null) { throw new IllegalStateException(); }
                 warp.remove();
                 woven++;
             }
             public int woven() { return woven; }
         }",
    ),
    (
        "holes/Crew.java",
        "package holes;
         import java.util.concurrent.Executor;
         public class Crew {
             private final Executor hands;
             private int hauled;
             public Crew(Executor hands) { this.hands = hands; }
             public void haul() { hands.execute(() -> hauled++); }
             public int hauled() { return hauled; }
         }",
    ),
    (
        "holes/Vine.java",
        "package holes;
         import java.util.ArrayList;
         import java.util.List;
         public class Vine {
             private final List<Vine> shoots = new ArrayList<>();
             private int grapes;
             public synchronized Vine shoot() {
                 Vine shoot = new Vine();
                 shoots.add(shoot);
                 return shoot;
             }
             public synchronized Vine bear() { grapes++; return this; }
             public synchronized int count() {
                 int count = grapes;
                 for (Vine shoot : shoots) { count += shoot.count(); }
                 return count;
             }
         }",
    ),
    (
        "holes/Lot.java",
        "package holes;
         import java.util.ArrayDeque;
         import java.util.HashSet;
         import java.util.Set;
         import java.util.function.Supplier;
         public class Lot<T> {
             private final Supplier<T> maker;
             private final ArrayDeque<T> idle = new ArrayDeque<>();
             private final Set<T> lent = new HashSet<>();
             public Lot(Supplier<T> maker) { this.maker = maker; }
             public synchronized T take() {
                 T taken = idle.isEmpty() ? maker.get() : idle.poll();
                 lent.add(taken);
                 return taken;
             }
             public void give(T back) {
                 if (!lent.remove(back)) { throw new IllegalStateException(); }
                 idle.add(back);
             }
         }",
    ),
    (
        "holes/Parlance.java",
        "package holes;
         import java.util.concurrent.ConcurrentHashMap;
         public class Parlance {
             private final ConcurrentHashMap<String, Integer> words = new ConcurrentHashMap<>();
             public int say(String word) { return words.computeIfAbsent(word, of -> words.size()); }
         }",
    ),
    (
        "holes/Codecs.java",
        "package holes;
         import java.lang.reflect.Type;
         import java.util.HashMap;
         import java.util.Map;
         public class Codecs {
             private final Map<Type, Object> codecs = new HashMap<>();
             public Object codec(Type type) { return codecs.computeIfAbsent(type, of -> new Object()); }
         }",
    ),
    (
        "holes/Board.java",
        "package holes;
         public class Board {
             private long[] words = new long[1];
             public void put(int hole) {
                 if (hole < 0 || hole >= 2000) { throw new IllegalArgumentException(); }
                 if (hole >> 6 >= words.length) { words = java.util.Arrays.copyOf(words, (hole >> 6) + 1); }
                 words[hole >> 6] |= 1L << hole;
             }
             public int size() { return words.length; }
         }",
    ),
    (
        "holes/Pool.java",
        "package holes;
         import java.util.Optional;
         public class Pool {
             public static final class Key {
                 private final int number;
                 private Key(int number) { this.number = number; }
                 public int number() { return number; }
             }
             private int next;
             public synchronized Optional<Key> take() { return Optional.of(new Key(next++)); }
             public synchronized void give(Key key) { next = key.number(); }
         }",
    ),
    (
        "holes/Pipe.java",
        "package holes;
         public class Pipe {
             private final int[] cells = new int[4];
             private int count;
             private final Sink sink = new Sink();
             private final Source source = new Source();
             public Sink sink() { return sink; }
             public Source source() { return source; }
             public class Sink {
                 public void put(int number) { cells[count++ & 3] = number; }
             }
             public class Source {
                 public int take() { return cells[--count & 3]; }
             }
         }",
    ),
    (
        "holes/Drain.java",
        "package holes;
         import java.util.Collection;
         public class Drain {
             private int count;
             public synchronized void from(Collection<String> others) { for (String other : others) { count++; } }
             public synchronized void into(Collection<String> others) { others.add(String.valueOf(count)); }
         }",
    ),
    (
        "wire/Message.java",
        "package wire;
         public interface Message { java.util.Map<String, Object> extra(); void a(); void b(); }",
    ),
    (
        "clock/Clock.java",
        "package clock;
         import java.util.Map;
         public class Clock {
             private int offset;
             private byte[] data;
             public void receive(wire.Message message) {
                 Map<String, Object> extra = message.extra();
                 data = extra == null ? null : (byte[]) extra.get(\"data\");
                 Map<String, Object> sync = extra == null ? null : (Map<String, Object>) extra.get(\"sync\");
                 if (sync != null) {
                     offset += ((Number) sync.get(\"time\")).intValue();
                 }
             }
             public int offset() { return offset; }
         }",
    ),
    (
        "transport/Packet.java",
        "package transport;
         import java.util.Map;
         public class Packet extends java.util.HashMap<String, Object> implements wire.Message {
             public Map<String, Object> extra() { return (Map<String, Object>) get(\"extra\"); }
             public void a() {}
             public void b() {}
         }",
    ),
    (
        "clock/Handle.java",
        "package clock;
         public class Handle {
             private boolean closed;
             public int read() { if (closed) { throw new IllegalStateException(); } return 1; }
             public void close() { closed = true; }
             public void finalize() { close(); }
             public void finalize(int times) { closed = times > 0; }
         }",
    ),
    (
        "clock/Built.java",
        "package clock;
         public class Built {
             private int size;
             private Built(int size) { this.size = size; }
             public static Builder builder() { return new Builder(); }
             public void grow() { size++; }
             public int size() { return size; }
             public static final class Builder {
                 private int size;
                 private String name;
                 private Builder() {}
                 public Builder size(int size) { this.size = size; return this; }
                 public void name(String name) { this.name = name; }
                 public Built build() { return name == null ? null : new Built(size); }
             }
         }",
    ),
    (
        "clock/Desk.java",
        "package clock;
         public class Desk {
             private int out;
             public Ticket take() { out++; return new Ticket(); }
             public void give(Ticket ticket) { out -= ticket.weight(); }
             public static final class Ticket {
                 private Ticket() {}
                 public int weight() { return 1; }
             }
         }",
    ),
    (
        "clock/Depot.java",
        "package clock;
         public class Depot {
             private int seen;
             public Cursor open() { return new Cursor(); }
             public void read(Cursor cursor) { seen += cursor.next(); }
             public void visit(Visitor visitor) { visitor.visit(seen++); }
             public void drain(Basin basin) { seen += basin.sink(); }
             public void scan(Source source) { seen += source.next(); }
             public void turn(Wheel wheel) { synchronized (wheel) { seen += wheel.turns++; } }
             public void paint(Shade shade) { seen += shade.depth; }
             public static final class Cursor {
                 private int at;
                 private Cursor() {}
                 public int next() { return at++; }
             }
             public abstract static class Visitor {
                 private Object last;
                 public final void visit(Object seen) { last = wants() ? seen : null; }
                 protected abstract boolean wants();
             }
             public static final class Basin {
                 public static final Basin DEFAULT = new Basin();
                 private int level;
                 private Basin() {}
                 public int sink() { return level--; }
             }
             public static final class Source {
                 private final StringBuffer text = new StringBuffer(\"abc\");
                 private int at;
                 public char next() { return text.charAt(at++); }
             }
             public static final class Wheel {
                 int turns;
             }
             public static final class Shade {
                 public static final Shade DARK = new Shade(3);
                 private final int depth;
                 private Shade(int depth) { this.depth = depth; }
             }
         }",
    ),
    (
        "clock/Engine.java",
        "package clock;
         public class Engine {
             private final Extensions extensions = new Extensions();
             private Session last;
             private int made;
             public Extensions extensions() { return extensions; }
             public synchronized int make() { return made += extensions.size(); }
             public synchronized Session session() { last = new Session(this); return last; }
         }",
    ),
    (
        "clock/Extensions.java",
        "package clock;
         public class Extensions {
             private final java.util.ArrayList<String> names = new java.util.ArrayList<>();
             public void add(String name) { names.add(name); }
             public int size() { return names.size(); }
         }",
    ),
    (
        "clock/Session.java",
        "package clock;
         public class Session {
             private final Engine engine;
             private int uses;
             Session(Engine engine) { this.engine = engine; }
             public void use() { uses += engine.make(); }
         }",
    ),
    (
        "clock/Tally.java",
        "package clock;
         public final class Tally {
             private static int total;
             private Tally() {}
             public static void add(int number) { total += number; }
             public static int total() { return total; }
         }",
    ),
    (
        "clock/Sundial.java",
        "package clock;
         public abstract class Sundial {
             private static int turned;
             private int shadow;
             private Sundial() {}
             public static void turn() { turned++; }
             public int shadow() { return shadow++; }
         }",
    ),
    (
        "clock/Watch.java",
        "package clock;
         public class Watch {
             private static int made;
             private int worn;
             public Watch(int owner) { made += owner; }
             public static int made() { return made; }
             public static void repair(Watch watch) { made = watch.worn; }
             public void wear() { worn++; }
         }",
    ),
    (
        "clock/Hall.java",
        "package clock;
         import java.util.BitSet;
         import java.util.List;
         public class Hall {
             private int taken;
             public class Seat {
                 public Seat(List<BitSet> rows) {}
                 public void take() { taken++; }
                 public int taken() { return taken; }
             }
         }",
    ),
    (
        "clock/Rental.java",
        "package clock;
         public class Rental {
             private int out;
             private String last;
             public Boat rent() { out++; return new Boat(); }
             public void bring(Boat boat) {
                 if (out == 0) { throw new IllegalStateException(\"no boat is out\"); }
                 out -= boat.row();
             }
             public void name(String name) {
                 if (name.isEmpty()) { throw new IllegalArgumentException(new StringBuilder(\"bad: \").append(out).toString()); }
                 last = \"ark\".equals(name) ? \"old\" : name;
             }
             public void paint(java.util.function.Supplier<String> color) { last = color.get(); }
             public static class Boat {
                 private int rows;
                 public Boat() {}
                 public int row() { return ++rows; }
             }
         }",
    ),
    (
        "road/Route.java",
        "package road;
         public class Route {
             private int way;
             Route(int way) { if (way == 0) { throw new IllegalArgumentException(); } this.way = way; }
             public int turn() { return ++way; }
         }",
    ),
    (
        "road/Planner.java",
        "package road;
         public class Planner {
             private int way;
             public Planner() {}
             public Planner over(int way) { this.way = way; return this; }
             public Route plan() { return new Route(way); }
         }",
    ),
    (
        "road/Toll.java",
        "package road;
         public interface Toll {
             static Booth booth(java.time.Duration closing) { return new Booth(closing); }
             Terms terms();
             class Booth {
                 private final java.time.Duration closing;
                 Booth(java.time.Duration closing) { this.closing = closing; }
                 public Toll open() { return new clock.Barrier(new Terms(closing)); }
             }
             class Terms {
                 private final java.time.Duration closing;
                 Terms(java.time.Duration closing) { this.closing = closing; }
                 public java.time.Duration closing() { return closing; }
             }
         }",
    ),
    (
        "clock/Barrier.java",
        "package clock;
         import road.Route;
         import road.Toll;
         public class Barrier implements Toll {
             private final Terms terms;
             private int passed;
             public Barrier(Terms terms) { this.terms = terms; terms.closing(); }
             public Terms terms() { return terms; }
             public void pass(Route route) { passed += route.turn(); }
         }",
    ),
];
