
    /** Builds the subjects of classes that are loaded anew, so that each round finds static fields as they are at first. */
    static TestRound prepare() throws Throwable {
        try {
            Class<?> subjects = new TestLoader().loadClass(OWN + "$TestSubjects");
            return (TestRound) subjects.getMethod("prepare").invoke(null);
        } catch (java.lang.reflect.InvocationTargetException exception) {
            throw exception.getCause();
        }
    }

    static final String OWN = TestRound.class.getName().replace("$TestRound", "");

    /** Loads the classes of the class path anew, all but those that repeat the test. */
    static final class TestLoader extends ClassLoader {
        static final java.util.Map<String, byte[]> READ = new java.util.concurrent.ConcurrentHashMap<>();

        TestLoader() {
            super(TestRound.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) return known;
                Class<?> common = super.loadClass(name, resolve);
                boolean repeats = (name + "$").startsWith(OWN + "$") && !name.startsWith(OWN + "$TestSubjects");
                if (repeats || common.getClassLoader() != getParent()) return common;
                byte[] bytes = READ.computeIfAbsent(name, TestLoader::read);
                return defineClass(name, bytes, 0, bytes.length);
            }
        }

        static byte[] read(String name) {
            String file = name.replace('.', '/') + ".class";
            try (java.io.InputStream stream = TestRound.class.getClassLoader().getResourceAsStream(file)) {
                return stream.readAllBytes();
            } catch (java.io.IOException exception) {
                throw new java.io.UncheckedIOException(exception);
            }
        }
    }
