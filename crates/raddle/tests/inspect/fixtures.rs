//! Classes that javac makes of a source in this folder.

use std::path::Path;

use crate::support::{check_lines, compiled, inspect, jdks, shown, write};

const SHOP: &str = include_str!("java/Shop.java");

/// Every JDK must show these lines for a class of the shop: the class with options, and what is expected.
fn check(cases: &[(&[&str], &str)]) {
    for jdk in jdks() {
        let folder = compiled(&jdk, "Shop.java", SHOP);
        for (args, expected) in cases {
            let text = shown(inspect(&jdk, ["--classpath"]).arg(folder.path()).args(*args));
            check_lines(&text, expected);
        }
    }
}

#[test]
fn a_class_with_its_members() {
    let expected = r#"
public class Shop<T extends Comparable<? super T> & java.io.Serializable>
    extends java.util.ArrayList<T>
    implements Iterable<T>
  version  Java 17 (class file 61.0)
  source   Shop.java
fields (* volatile)
    static final String TEXT = "a \"b\" \\ \n\t\u0000, (😀 \ud800"
    public static final char QUOTE = '\''
    static final boolean OPEN = true
    static final byte LOW = -3
    static final long FAR = 5000000000L
    static final float HALF = 0.5f
    static final double NONE = Double.NaN
  * protected volatile java.util.Map<String, java.util.List<? extends T>> shelf
methods (* synchronized or with monitorenter)
     lines  bytes  instr.
     18-25     16       8  public Shop()
     18-28     17       9  <X extends Exception> Shop(int, X) throws X
  *     33     10       6  public final synchronized <U> U first(
                               java.util.function.Function<? super T, ? extends U>, T...) throws java.io.IOException
    native      -       -  native void carry()
"#;
    check(&[(&["Shop"], expected)]);
}

#[test]
fn what_matters_to_threads_is_marked() {
    for jdk in jdks() {
        let folder = compiled(&jdk, "Shop.java", SHOP);
        let text = shown(inspect(&jdk, ["Shop", "--classpath"]).arg(folder.path()));
        let marked: Vec<&str> = text.lines().filter(|line| line.starts_with("  * ")).collect();
        let [shelf, first, locked] = marked[..] else {
            panic!("{marked:#?}");
        };
        assert!(shelf.contains(" volatile ") && first.contains(" synchronized "), "{marked:#?}");
        assert!(locked.ends_with("  int locked()  (2 monitorenter)"), "{locked}");
        let figures = text.lines().last().unwrap();
        let expected = "8 fields (1 volatile), 12 methods (1 synchronized, 1 native, 0 abstract), ";
        assert!(figures.starts_with(expected), "{figures}");
    }
}

#[test]
fn kinds_of_classes() {
    check(&[
        (&["Shop.Color"], "enum Shop$Color\n    extends Enum<Shop$Color>\n  nest host  Shop"),
        (&["Shop$Color"], "    public static final Shop$Color RED\n    public static final Shop$Color GREEN"),
        (&["Shop.Point"], "record Shop$Point<N extends Number>(N x, java.util.List<String> names)"),
        (&["Shop.Shape"], "sealed interface Shop$Shape\n    permits Shop$Round, Shop$Square"),
        (&["Shop.Shape"], "       98      2       2  public default int sides()"),
        (&["Shop.Round"], "static final class Shop$Round\n    implements Shop$Shape"),
        (&["Shop.Note"], "@interface Shop$Note\n    abstract      -       -  public abstract String value()"),
        (
            &["Shop.Inner"],
            "private abstract static class Shop$Inner\n    implements java.util.Map$Entry<String, int[]>",
        ),
        (&["Shop$1"], "class Shop$1\n  inside     Shop.anonymous(): Object\n  nest host  Shop"),
    ]);
}

#[test]
fn instructions_of_a_switch() {
    let expected = "
         47      0  iload_1
                 1  lookupswitch
                                            1: 36
                                            2: 38
                                         1000: 42
                                      default: 45
         49     36  iconst_1
                37  ireturn
         51     38  sipush          500
                41  ireturn
         53     42  ldc             100000
                44  ireturn
         55     45  iconst_m1
                46  ireturn
1 of 12 methods (0 synchronized, 0 native, 0 abstract), 47 bytes of code, 5 lines of code
";

    let dense = "
                 1  tableswitch
                                           -1: 28
                                            0: 31
                                            1: 34
                                      default: 37
";
    check(&[(&["Shop", "--code", "--method", "choose"], expected), (&["Shop", "--code", "--method", "dense"], dense)]);
}

#[test]
fn operands_are_resolved() {
    let text = r#"
         21      0  getstatic       System.out: java.io.PrintStream
                 3  ldc             "a \"b\" \\ \n\t\u0000, (😀 \ud800"
                 5  invokevirtual   java.io.PrintStream.println(String): void
"#;

    let lambda = "
                 1  invokedynamic   run(int): Runnable
                                      by java.lang.invoke.LambdaMetafactory.metafactory
                                        (): void
                                        invokestatic Shop.lambda$later$0(int): void
                                        (): void
";

    let handled = "
                 2  multianewarray  int[][], 2
         79      7  astore_1
                 7  handles RuntimeException from 0 to before 6
";
    check(&[
        (&["Shop", "--code", "--method", "<clinit>"], text),
        (&["Shop", "--code", "--method", "later"], lambda),
        (&["Shop", "--code", "--method", "grid"], handled),
    ]);
}

#[test]
fn constructors_go_by_the_name_of_the_class() {
    let expected = "    18-25     16       8  public Shop()";
    check(&[(&["Shop", "--method", "Shop"], expected), (&["Shop", "--method", "<init>"], expected)]);
}

#[test]
fn a_file_needs_no_jdk_and_wins_over_a_class() {
    for jdk in jdks() {
        let folder = compiled(&jdk, "Shop.java", SHOP);
        std::fs::copy(folder.path().join("Shop.class"), folder.path().join("java.util.Vector")).unwrap();
        let mut command = inspect(&jdk, ["java.util.Vector"]);
        let text = shown(command.current_dir(folder.path()).env("JAVA_HOME", "/nowhere"));
        check_lines(&text, "  from     java.util.Vector");
        assert!(text.starts_with("public class Shop<"), "{text}");
    }
}

#[test]
fn a_class_on_the_class_path_needs_no_jdk() {
    for jdk in jdks() {
        let folder = compiled(&jdk, "Shop.java", SHOP);
        let path = folder.path().to_str().unwrap();
        let text = shown(inspect(&jdk, ["--classpath", path, "Shop"]).env("JAVA_HOME", "/nowhere"));
        check_lines(&text, &format!("  from     {path}"));
    }
}

#[test]
fn a_class_wins_over_a_folder_of_its_name() {
    for jdk in jdks() {
        let folder = compiled(&jdk, "Shop.java", SHOP);
        std::fs::create_dir(folder.path().join("Shop")).unwrap();
        let text = shown(inspect(&jdk, ["--classpath", ".", "Shop"]).current_dir(folder.path()));
        check_lines(&text, "  from     .");
    }
}

#[test]
fn a_class_in_the_wrong_folder_says_so() {
    for jdk in jdks() {
        let folder = compiled(&jdk, "A.java", "package p; class A {}");
        let text = shown(inspect(&jdk, ["A", "--classpath"]).arg(folder.path().join("p")));
        check_lines(&text, "class p.A\n  found as  A (the class path entry is not the root of its packages)");
    }
}

#[test]
fn a_module_declaration() {
    let source = "open module m { requires static java.sql; exports p to java.base; uses Runnable; }";
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let of_module = write(folder.path(), "module-info.java", source.as_bytes());
        let of_class = write(folder.path(), "A.java", b"package p; public class A {}");
        let mut javac = std::process::Command::new(jdk.javac());
        javac.args(["--release", "17", "-d"]).args([folder.path(), &of_module, &of_class]);
        let output = javac.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = shown(inspect(&jdk, [Path::new("module-info.class")]).current_dir(folder.path()));
        let expected = "
open module m
  from      module-info.class
  requires  java.base, static java.sql
  exports   p (to java.base)
  uses      java.lang.Runnable
";
        check_lines(&text, expected);
    }
}

#[test]
fn colours_change_no_words() {
    let jdk = &jdks()[0];
    let plain = shown(&mut inspect(jdk, ["java.lang.Thread", "--code"]));
    let mut coloured = std::process::Command::new(env!("CARGO_BIN_EXE_raddle"));
    coloured.args(["inspect", "java.lang.Thread", "--code", "--color", "always"]).env("JAVA_HOME", &jdk.home);
    let coloured = shown(&mut coloured);
    assert!(coloured.contains("\u{1b}[1m\u{1b}[33mvolatile\u{1b}[0m"), "{coloured}");
    let mut stripped = String::new();
    for (i, part) in coloured.split('\u{1b}').enumerate() {
        stripped.push_str(if i == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    assert_eq!(stripped, plain);
}
