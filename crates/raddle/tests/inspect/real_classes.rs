//! Classes of the installed JDKs, against `javap` and against the class-file toolkit.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use classfile::ClassFile;
use classpath::{ClassName, ClassPath, Jdk};

use crate::support::{inspect, instruction, javap, jdks, method_rows, shown};

#[test]
fn string_buffer_is_synchronized() {
    for jdk in jdks() {
        let text = shown(&mut inspect(&jdk, ["java.lang.StringBuffer"]));
        let appends: Vec<&str> =
            text.lines().filter(|l| l.contains("public synchronized StringBuffer append(")).collect();
        assert!(appends.len() >= 12, "{text}");
        assert!(appends.iter().all(|line| line.starts_with("  * ")), "{appends:?}");
        assert!(text.contains("    private transient String toStringCache\n"), "{text}");
        let origin = format!("  from     {} (java.base)\n", jdk.modules_image().display());
        assert!(text.contains(&origin), "{text}");
        assert!(text.contains(&format!("  version  Java {} (class file {}.0)\n", jdk.feature, jdk.feature + 44)));
    }
}

#[test]
fn thread_has_volatile_fields() {
    for jdk in jdks() {
        let text = shown(&mut inspect(&jdk, ["java.lang.Thread"]));
        assert!(text.contains("  * private volatile String name\n"), "{text}");
        let marked = text.lines().filter(|line| line.starts_with("  * ") && line.contains(" volatile ")).count();
        let figures = text.lines().last().unwrap();
        assert!(figures.contains(&format!("({marked} volatile)")), "{figures}");
        let start = text.lines().find(|line| line.ends_with(" -       -  private native void start0()"));
        assert_eq!(start.and_then(|line| line.split_whitespace().next()), Some("native"), "{text}");
    }
}

#[test]
fn three_spellings_of_one_name() {
    for jdk in jdks() {
        let [a, b, c] = ["java.util.Map$Entry", "java.util.Map.Entry", "java/util/Map$Entry"]
            .map(|name| shown(&mut inspect(&jdk, [name])));
        assert!(a.starts_with("public interface java.util.Map$Entry<K, V>\n"), "{a}");
        assert_eq!((&a, &a), (&b, &c));
    }
}

#[test]
fn members_are_counted_as_javap_counts_them() {
    for jdk in jdks() {
        let classes = classes_in(&jdk, "java.util.concurrent");
        let classes: Vec<String> = classes.into_iter().step_by(4).map(|name| name.to_string()).take(60).collect();
        assert!(classes.len() >= 50);
        for (class, text) in classes.iter().zip(of_classes(&javap(&jdk, &["-p"], &classes))) {
            let members = text.lines().filter(|line| line.starts_with("  ") && line.ends_with(';'));
            // A static initialiser is shown as a block without brackets.
            let is_method = |line: &&str| line.contains('(') || line.ends_with("{};");
            let (methods, fields): (Vec<&str>, Vec<&str>) = members.partition(is_method);
            let ours = shown(&mut inspect(&jdk, [class]));
            let volatile = fields.iter().filter(|field| field.contains(" volatile ")).count();
            let count = |of: &[&str], word: &str| of.iter().filter(|m| m.contains(&format!("{word} "))).count();
            let (s, n, a) = (count(&methods, "synchronized"), count(&methods, "native"), count(&methods, "abstract"));
            let plural = |n: usize| if n == 1 { "" } else { "s" };
            let expected = format!(
                "{} field{} ({volatile} volatile), {} method{} ({s} synchronized, {n} native, {a} abstract), ",
                fields.len(),
                plural(fields.len()),
                methods.len(),
                plural(methods.len()),
            );
            assert!(ours.lines().last().unwrap().starts_with(&expected), "{class}: {expected}\n{ours}");
            assert_eq!(method_rows(&ours).len(), methods.len(), "{ours}");
        }
    }
}

#[test]
fn all_code_of_java_util_is_listed() {
    for jdk in jdks() {
        let class_path = ClassPath::of_jdk(&jdk).unwrap();
        let names = classes_in(&jdk, "java.util");
        let classes: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        assert!(classes.len() > 300);
        let reference = javap(&jdk, &["-p", "-c", "-l"], &classes);
        let reference = of_classes(&reference);
        assert_eq!(reference.len(), classes.len());
        let mut total = 0;
        for (name, theirs) in names.iter().zip(reference) {
            let ours = shown(&mut inspect(&jdk, [&name.to_string(), "--code"]));
            let listed: Vec<(u32, &str)> = ours.lines().filter_map(instruction).collect();
            let expected: Vec<(u32, &str)> = theirs.lines().filter_map(javap_instruction).collect();
            let differ = listed.iter().zip(&expected).find(|(ours, theirs)| ours != theirs);
            assert_eq!((differ, listed.len()), (None, expected.len()), "{name}");

            let bytes = class_path.find_exact(name).unwrap().unwrap().bytes;
            let class = ClassFile::parse(&bytes).unwrap();
            let code = class.methods.iter().map(|method| method.code());
            let counts: Vec<Option<(usize, usize)>> =
                code.map(|code| code.map(|code| (code.bytes().len(), code.instructions().count()))).collect();
            assert_eq!(method_rows(&ours), counts, "{name}");
            assert_eq!(listed.len(), counts.iter().flatten().map(|(_, instructions)| instructions).sum::<usize>());
            total += listed.len();

            let lines: BTreeSet<&str> = theirs.lines().filter_map(javap_line).collect();
            let plural = if lines.len() == 1 { "" } else { "s" };
            let figures = ours.lines().last().unwrap();
            assert!(figures.ends_with(&format!(", {} line{plural} of code", lines.len())), "{name}: {figures}");
        }
        println!("{} classes, {total} instructions", classes.len());
    }
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let jdk = &jdks()[0];
    let mut command = inspect(jdk, ["java.util.concurrent.ConcurrentHashMap", "--code"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The rest is more than a pipe holds, so it must be writing when the pipe is closed.
    let mut line = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "public class java.util.concurrent.ConcurrentHashMap<K, V>\n");
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((stderr.as_str(), child.wait().unwrap().code()), ("", Some(0)));
}

fn classes_in(jdk: &Jdk, package: &str) -> Vec<ClassName> {
    ClassPath::of_jdk(jdk).unwrap().classes_in(package).unwrap().to_vec()
}

/// The output of `javap` for each class: all JDK classes name their source first.
fn of_classes(text: &str) -> Vec<&str> {
    text.split("Compiled from ").skip(1).collect()
}

/// `       5: invokespecial #1   // ...`; cases of a switch have a number after the colon.
fn javap_instruction(line: &str) -> Option<(u32, &str)> {
    let (pc, rest) = line.trim_start().split_once(": ")?;
    let name = rest.split_whitespace().next()?;
    let code = line.starts_with("   ") && name.starts_with(|c: char| c.is_ascii_lowercase());
    code.then(|| pc.parse().ok())?.map(|pc| (pc, name))
}

/// `        line 133: 0`
fn javap_line(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("line ")?.split(':').next()
}
