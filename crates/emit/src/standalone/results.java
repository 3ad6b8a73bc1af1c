    /** The results that the calls have when they run one after the other, in each order. */
    static final List<String> SERIAL = Arrays.asList(
@SERIAL@
    );

    /** What a round that has ended shows; null if that is as it should be. */
    static String violation(TestRound round) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < round.parts.length; i++) {
            Throwable thrown = round.thrown[i];
            if (thrown != null) round.results[i].lines.add("threw " + thrown.getClass().getName());
            // Probes that have no results are not told.
            if (i < @THREADS@ || !round.results[i].lines.isEmpty()) {
                text.append(i > 0 ? " | " : "").append(String.join(", ", round.results[i].lines));
            }
        }
        String results = text.toString();
        return SERIAL.contains(results) ? null : "no serial order gives " + results;
    }

    /** What the calls of one thread gave, in words. */
    static final class TestResults {
        /** Objects that others may be changing right now: they are not looked into. */
        final Object[] known;
        final List<String> lines = new ArrayList<>();

        TestResults(Object[] known) {
            this.known = known;
        }

        void add(Object value) {
            lines.add(show(value, 4));
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
            if (depth == 0) return name;
            List<String> items = new ArrayList<>();
            if (value instanceof StringBuffer || value instanceof StringBuilder) {
                return name + quoted(value.toString(), '"');
            } else if (value.getClass().isArray()) {
                for (int i = 0; i < Array.getLength(value); i++) items.add(show(Array.get(value, i), depth - 1));
            } else if (name.startsWith("java.util.") && value instanceof Map) {
                for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                    items.add(show(entry.getKey(), depth - 1) + "=" + show(entry.getValue(), depth - 1));
                }
                Collections.sort(items);
            } else if (name.startsWith("java.util.") && value instanceof Collection) {
                for (Object item : (Collection<?>) value) items.add(show(item, depth - 1));
                if (value instanceof Set) Collections.sort(items);
            } else {
                return name;
            }
            return name + items;
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
