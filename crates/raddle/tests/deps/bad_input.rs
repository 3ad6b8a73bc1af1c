//! Classes that cannot be analysed are refused with the reason, and the others of their jar are analysed.

use std::fs;
use std::path::Path;
use std::process::Command;

use classfile::{ClassFile, CodeBuilder, Flags, Instruction};
use classpath::Jdk;
use tempfile::TempDir;

use crate::support::{compile, deps, jdks, refused, shown};

/// A folder with a good class and some that are bad in one way each.
fn rotten(jdk: &Jdk) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("All.java");
    let text = "public class All { }
        class Good { private int n; public int add() { return n++; } }
        class Orphan extends Base { public void f() { } }
        class Base { }
        class Callee { public static void gone() { } }
        class Caller { private int n; public void call() { Callee.gone(); n++; } }
        abstract class Half { protected int n; public abstract void f(); public void g() { f(); n++; } }
        interface Face { void f(); }";
    fs::write(&source, text).unwrap();
    compile(jdk, folder.path(), [&source]);
    fs::remove_file(folder.path().join("Base.class")).unwrap();
    fs::remove_file(folder.path().join("Callee.class")).unwrap();
    for (name, super_name) in [("RoundA", "RoundB"), ("RoundB", "RoundA")] {
        fs::write(class_file(folder.path(), name), ClassFile::new(name, super_name, 61).unwrap().write().unwrap())
            .unwrap();
    }
    fs::write(class_file(folder.path(), "Nonsense"), nonsense()).unwrap();
    fs::write(class_file(folder.path(), "Cut"), [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61]).unwrap();
    fs::copy(class_file(folder.path(), "Good"), class_file(folder.path(), "Alias")).unwrap();
    folder
}

fn class_file(folder: &Path, name: &str) -> std::path::PathBuf {
    folder.join(format!("{name}.class"))
}

/// A class with a method that adds what is not on the stack. The builder refuses to make such code, so its
/// bytes are put in afterwards.
fn nonsense() -> Vec<u8> {
    let mut class = ClassFile::new("Nonsense", "java/lang/Object", 61).unwrap();
    let mut body = CodeBuilder::new("Nonsense", "f", "()V", Flags::PUBLIC);
    for value in [7, 8] {
        body.push(Instruction::Int(value), &class.constants).unwrap();
        body.push(Instruction::Stack(classfile::StackOp::Pop), &class.constants).unwrap();
    }
    body.push(Instruction::Return(None), &class.constants).unwrap();
    let body = body.finish(&mut class.constants).unwrap();
    class.add_method(Flags::PUBLIC, "f", "()V", Some(body)).unwrap();
    let mut bytes = class.write().unwrap();
    // bipush 7, pop, bipush 8, pop: the first becomes iadd, nop.
    let code = [0x10, 7, 0x57, 0x10, 8, 0x57, 0xb1];
    let at = bytes.windows(code.len()).position(|window| window == code).unwrap();
    bytes[at..at + 2].copy_from_slice(&[0x60, 0x00]);
    bytes
}

#[test]
fn each_is_refused_with_the_reason() {
    for jdk in jdks() {
        let folder = rotten(&jdk);
        for (class, reason) in [
            ("Orphan", "class Orphan cannot be analysed: its supertype Base is not on the class path"),
            ("RoundA", "class RoundA cannot be analysed: RoundA is its own supertype"),
            (
                "Nonsense",
                "class Nonsense cannot be analysed: the code of f is not valid: the stack is empty (at offset 0)",
            ),
            ("Cut", "class Cut is damaged: the file ends too early: 2 bytes wanted, 0 left (at byte 8)"),
            ("Alias", "the file of class Alias holds class Good"),
            ("Face", "Face is an interface, which has no state: name a class that implements it"),
        ] {
            assert_eq!(refused(deps(&jdk, [class, "--classpath"]).arg(folder.path())), reason);
        }
    }
}

#[test]
fn an_abstract_class_is_analysed_and_says_so() {
    let jdk = jdks().remove(0);
    let folder = rotten(&jdk);
    let text = shown(deps(&jdk, ["Half", "--classpath"]).arg(folder.path()));
    assert!(text.contains("note: the class is abstract: what its subclasses add is not seen\n"), "{text}");
    assert!(text.contains("  0  g()") && !text.contains("f()"), "{text}");
}

#[test]
fn a_missing_callee_is_opaque() {
    let jdk = jdks().remove(0);
    let folder = rotten(&jdk);
    let text = shown(deps(&jdk, ["Caller", "--classpath"]).arg(folder.path()));
    assert!(text.contains("1 opaque"), "{text}");
}

#[test]
fn the_rest_of_the_jar_is_analysed() {
    let jdk = jdks().remove(0);
    let folder = rotten(&jdk);
    let jar = folder.path().join("rotten.jar");
    let mut tool = Command::new(jdk.home.join("bin/jar"));
    tool.arg("--create").arg("--file").arg(&jar).arg("-C").arg(folder.path()).arg(".");
    assert!(tool.status().unwrap().success());
    let output = deps(&jdk, [&jar]).output().unwrap();
    let (text, warnings) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(0), "{warnings}");
    assert!(text.contains("\n4 classes analysed, 1 interfaces passed over, 6 refused\n"), "{text}{warnings}");
    assert!(text.lines().any(|line| line.starts_with("Good ")), "{text}");
    assert_eq!(warnings.lines().filter(|line| line.starts_with("warning: ")).count(), 6, "{warnings}");
}
