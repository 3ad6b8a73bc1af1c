//! A class that is not on the class path is no fault of the code, and what manifests name is on it.

use crate::jdks;
use crate::support::{Raddle, compile};
use classpath::Jdk;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const PROGRAMS: &str = r#"
import java.util.List;

class Gone {
}

class Together {
    static void run(Runnable one, Runnable other) throws Exception {
        Thread thread = new Thread(one);
        thread.start();
        other.run();
        thread.join();
    }
}

class Needs {
    public static void main(String[] arguments) throws Exception {
        Together.run(() -> {}, Gone::new);
    }
}

class NeedsInThread {
    public static void main(String[] arguments) throws Exception {
        Together.run(() -> System.out.println(new Gone()), () -> {});
    }
}

class NeedsAtFirst {
    static class Holder {
        static final Object held = new Gone();
    }

    public static void main(String[] arguments) throws Exception {
        Together.run(() -> {}, () -> System.out.println(Holder.held));
    }
}

class NeedsSometimes {
    static boolean isSet;

    public static void main(String[] arguments) throws Exception {
        Together.run(() -> isSet = true, () -> {
            if (isSet) {
                new Gone();
            }
        });
    }
}

class AsksByName {
    public static void main(String[] arguments) throws Exception {
        Together.run(() -> {}, () -> {
            try {
                Class.forName("Gone");
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException("no service", e);
            }
        });
    }
}

class AsksByType {
    List<Gone> all;

    public static void main(String[] arguments) throws Exception {
        Together.run(() -> {}, () -> {
            try {
                AsksByType.class.getDeclaredField("all").getGenericType().toString();
            } catch (NoSuchFieldException e) {
                throw new AssertionError(e);
            }
        });
    }
}

// Has another way where it is not there.
class GoesWithout {
    public static void main(String[] arguments) throws Exception {
        Together.run(() -> {}, () -> {
            try {
                Class.forName("Gone");
            } catch (ClassNotFoundException e) {
                System.out.println("without");
            }
        });
    }
}

// What its own loader does not give is there all the same.
class Hides {
    static boolean isSet;

    public static void main(String[] arguments) throws Exception {
        ClassLoader loader = new ClassLoader() {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                throw new ClassNotFoundException(name);
            }
        };
        Together.run(() -> isSet = true, () -> {
            try {
                if (isSet) {
                    loader.loadClass("Together");
                }
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
"#;

fn compiled(jdk: &Jdk, source: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Programs.java");
    std::fs::write(&file, source).unwrap();
    compile(jdk, &[file], "")
}

#[test]
fn a_class_that_is_missing_is_named_and_nothing_is_said() {
    for jdk in jdks() {
        println!("JDK {}", jdk.version);
        let classes = compiled(&jdk, PROGRAMS);
        let class_path = classes.path().to_str().unwrap();
        let run = |target: &str| Raddle::new(&jdk).explore(&[target, "--classpath", class_path]);
        let (status, report) = run("Needs");
        assert_eq!((status, &report["verdict"]), (0, &"clean".into()), "it is there: {report:#}");
        std::fs::remove_file(classes.path().join("Gone.class")).unwrap();
        for program in ["Needs", "NeedsInThread", "NeedsAtFirst", "NeedsSometimes", "AsksByName", "AsksByType"] {
            let (status, report) = run(program);
            assert_eq!((status, &report["verdict"]), (2, &"unknown".into()), "{program}: {report:#}");
            let reason = "class Gone is not on the class path: name its jar or folder with --classpath";
            assert_eq!(report["reason"], reason, "{program}: {report:#}");
            assert_eq!(report["findings"].as_array().map(Vec::len), Some(0), "{program}: {report:#}");
        }
        let output = Raddle::new(&jdk).run(&["explore", "Needs", "--classpath", class_path]);
        let error = String::from_utf8(output.stderr).unwrap();
        let last = error.lines().last().unwrap();
        assert!(
            last.ends_with("class Gone is not on the class path: name its jar or folder with --classpath"),
            "{error}"
        );
        let (status, report) = run("GoesWithout");
        assert_eq!((status, &report["verdict"]), (0, &"clean".into()), "{report:#}");
        let (status, report) = run("Hides");
        assert_eq!((status, &report["findings"][0]["kind"]), (1, &"exception".into()), "{report:#}");
    }
}

fn jar(jdk: &Jdk, folder: &Path, name: &str, manifest: &str, classes: &Path, files: &[&str]) {
    std::fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
    std::fs::write(folder.join("manifest"), manifest).unwrap();
    let mut tool = Command::new(jdk.home.join("bin/jar"));
    tool.current_dir(folder).args(["--create", "--file", name, "--manifest", "manifest"]);
    for file in files {
        tool.arg("-C").arg(classes).arg(file);
    }
    let output = tool.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

const LIBRARY: &str = "
    class Main {
        public static void main(String[] arguments) throws Exception {
            Counter counter = new Counter();
            Thread other = new Thread(counter::add);
            other.start();
            counter.add();
            other.join();
            if (counter.count() != 2) throw new AssertionError(\"lost\");
        }
    }
    class Counter {
        private int count;
        void add() { count = Plus.one(count); }
        int count() { return count; }
    }
    class Plus {
        static int one(int number) { return number + 1; }
    }
";

#[test]
fn what_manifests_name_is_on_the_class_path_and_behind_the_fence() {
    for jdk in jdks() {
        println!("JDK {}", jdk.version);
        let (classes, folder) = (compiled(&jdk, LIBRARY), tempfile::tempdir().unwrap());
        let at = |name: &str| folder.path().join(name);
        let make = |name: &str, names: &str, file: &str| {
            jar(&jdk, folder.path(), name, &format!("Class-Path: {names}\n"), classes.path(), &[file]);
        };
        make("app/main.jar", "../lib/counter.jar missing.jar", "Main.class");
        make("lib/counter.jar", "more/plus.jar ../app/main.jar", "Counter.class");
        make("lib/more/plus.jar", ".", "Plus.class");
        let main = at("app/main.jar");
        let explore =
            || -> (i32, Value) { Raddle::new(&jdk).explore(&["Main", "--classpath", main.to_str().unwrap()]) };
        let (status, report) = explore();
        assert_eq!(
            (status, &report["findings"][0]["what"]),
            (1, &"java.lang.AssertionError: lost".into()),
            "{report:#}"
        );
        std::fs::remove_file(at("lib/more/plus.jar")).unwrap();
        let (status, report) = explore();
        assert_eq!(status, 2, "{report:#}");
        assert!(report["reason"].as_str().unwrap().starts_with("class Plus is not on the class path"), "{report:#}");
    }
}
