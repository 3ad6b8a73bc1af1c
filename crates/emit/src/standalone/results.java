    /** The first results of each order; null if it is left out. */
    static final String[][][] FIRST = new String[ORDERS.size()][][];

    /** All results that calls one after the other gave, by their text. */
    static final Map<String, String[][]> SERIAL = new LinkedHashMap<>();

    /** Results that were others when the same order ran again, by part and place: they are not compared. */
    static final Set<String> UNSTEADY = new HashSet<>();

    /** Keeps the results of a serial order. */
    static void explain(int order, TestRound round) {
        String[][] results = results(round);
        if (FIRST[order] == null) FIRST[order] = results;
        UNSTEADY.addAll(differences(FIRST[order], results));
        SERIAL.put(Arrays.deepToString(results), results);
    }

    /** What a round that has ended shows; null if that is as it should be. */
    static String violation(TestRound round) throws InterruptedException {
        String[][] results = results(round);
        if (isExplained(results)) return null;
        // What depends on time or chance may have been the same before.
        long end = System.nanoTime() + 5_000_000_000L;
        for (int again = 0; again < 10 && runSerially(end); again++) if (isExplained(results)) return null;
        if (isExplained(results)) return null;
        int fewest = Integer.MAX_VALUE;
        Set<String> nearest = new LinkedHashSet<>();
        for (String[][] serial : SERIAL.values()) {
            int count = differences(serial, results).size();
            if (count < fewest) nearest.clear();
            fewest = Math.min(fewest, count);
            if (count == fewest && nearest.size() < 4) nearest.add(text(serial));
        }
        return "no serial order gives " + text(results) + "; the nearest that one gives: "
            + String.join("  or  ", nearest);
    }

    /** Whether a serial order gives these results. If none ends, nothing is known of what they give. */
    static boolean isExplained(String[][] results) {
        if (SERIAL.isEmpty() || SERIAL.containsKey(Arrays.deepToString(results))) return true;
        for (String[][] serial : SERIAL.values()) if (differences(serial, results).isEmpty()) return true;
        return false;
    }

    /** Where results differ that are compared, by part and place. */
    static Set<String> differences(String[][] some, String[][] others) {
        Set<String> found = new HashSet<>();
        for (int part = 0; part < some.length; part++) {
            for (int i = 0; i < Math.max(some[part].length, others[part].length); i++) {
                // Where a call threw, there are fewer results.
                String one = i < some[part].length ? some[part][i] : null;
                String other = i < others[part].length ? others[part][i] : null;
                if (!Objects.equals(one, other)) found.add(part + "." + i);
            }
        }
        found.removeAll(UNSTEADY);
        return found;
    }

    /** What the calls of each part of a round gave, once all have ended. */
    static String[][] results(TestRound round) {
        String[][] all = new String[round.parts.length][];
        for (int part = 0; part < all.length; part++) {
            List<String> shown = new ArrayList<>();
            for (Object value : round.results[part].values) shown.add(round.results[part].show(value, 4));
            if (round.thrown[part] != null) shown.add("threw " + round.thrown[part].getClass().getName());
            all[part] = shown.toArray(new String[0]);
        }
        return all;
    }

    static String text(String[][] results) {
        StringBuilder text = new StringBuilder();
        for (int part = 0; part < results.length; part++) {
            // Probes that have no results are not told.
            if (part >= @THREADS@ && results[part].length == 0) continue;
            if (part > 0) text.append(" | ");
            for (int i = 0; i < results[part].length; i++) {
                text.append(i > 0 ? ", " : "").append(UNSTEADY.contains(part + "." + i) ? "?" : results[part][i]);
            }
        }
        return text.toString();
    }

    /**
     * What the calls of one thread gave. Objects are looked into when all threads have ended, for others might be changing
     * them before.
     */
    @PUBLIC@static final class TestResults {
        /** What the prefix made: not looked into. */
        final Object[] known;
        final List<Object> values = new ArrayList<>();

        TestResults(Object[] known) {
            this.known = known;
        }

        @PUBLIC@void add(Object value) {
            values.add(value);
        }

        private String show(Object value, int depth) {
            if (value == null || value instanceof Number || value instanceof Boolean) return String.valueOf(value);
            if (value instanceof Character) return quoted(value.toString(), '\'');
            if (value instanceof String) return quoted((String) value, '"');
            if (value instanceof Class) return ((Class<?>) value).getName() + ".class";
            if (value instanceof Enum) {
                return ((Enum<?>) value).getDeclaringClass().getName() + "." + ((Enum<?>) value).name();
            }
            String name = value.getClass().getName();
            for (Object object : known) if (object == value) return name;
            try {
                return depth == 0 ? name : name + content(value, name, depth - 1);
            } catch (RuntimeException exception) {
                // Some views of what has changed since cannot be looked into any more.
                return name;
            }
        }

        private Object content(Object value, String name, int depth) {
            List<String> items = new ArrayList<>();
            if (value instanceof StringBuffer || value instanceof StringBuilder) return quoted(value.toString(), '"');
            if (value.getClass().isArray()) {
                for (int i = 0; i < Array.getLength(value); i++) items.add(show(Array.get(value, i), depth));
            } else if (name.startsWith("java.util.") && value instanceof Map) {
                for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                    items.add(show(entry.getKey(), depth) + "=" + show(entry.getValue(), depth));
                }
                Collections.sort(items);
            } else if (name.startsWith("java.util.") && value instanceof Collection) {
                for (Object item : (Collection<?>) value) items.add(show(item, depth));
                if (value instanceof Set) Collections.sort(items);
            } else if (name.startsWith("java.time.") || name.startsWith("java.util.Optional")
                || name.equals("java.util.Date") || name.equals("java.util.UUID")) {
                return quoted(value.toString(), '"');
            } else if (isOfJdk(name) || value instanceof Iterator || value instanceof Thread) {
                return "";
            } else {
                for (Class<?> type = value.getClass(); !isOfJdk(type.getName()); type = type.getSuperclass()) {
                    for (Field field : type.getDeclaredFields()) {
                        if (Modifier.isStatic(field.getModifiers())) continue;
                        field.setAccessible(true);
                        items.add(field.getName() + "=" + show(valueOf(field, value), depth));
                    }
                }
            }
            return items;
        }

        private static Object valueOf(Field field, Object object) {
            try {
                return field.get(object);
            } catch (IllegalAccessException exception) {
                throw new RuntimeException(exception);
            }
        }

        private static boolean isOfJdk(String name) {
            for (String start : new String[] {"java.", "javax.", "jdk.", "sun.", "com.sun."}) {
                if (name.startsWith(start)) return true;
            }
            return false;
        }

        private static String quoted(String text, char quote) {
            StringBuilder out = new StringBuilder().append(quote);
            for (char c : text.toCharArray()) {
                if (c == quote || c == '\\') out.append('\\').append(c);
                else if (c >= ' ' && c < 127) out.append(c);
                else out.append(String.format("\\u%04x", (int) c));
            }
            return out.append(quote).toString();
        }
    }
}
