//! All of java.base rewritten, and a real JVM that verifies and runs it.

#[path = "support/rewrite.rs"]
mod rewrite;
mod support;

use classfile::{ClassFile, CodeBuilder, Flags, Instruction, StackOp};
use classpath::{ClassPath, Jdk};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

#[test]
fn java_base_rewritten_links_and_runs_under_verification() {
    for jdk in support::jdks() {
        let folder = tempfile::tempdir().unwrap();
        let patch = folder.path().join("patch");
        let names = rewrite_java_base(&jdk, &patch);
        let list = folder.path().join("names");
        std::fs::write(&list, names.join("\n")).unwrap();

        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/LinkAll.java");
        let compiled = Command::new(jdk.javac()).arg("-d").arg(folder.path()).arg(source).output().unwrap();
        assert!(compiled.status.success(), "{compiled:?}");

        let run = |options: &[String], more: &[&str]| {
            let mut java = Command::new(jdk.java());
            java.args(options).arg("-cp").arg(folder.path()).arg("LinkAll").arg(&list).args(more);
            let output = java.output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
            text
        };
        let plain = run(&[], &[]);
        let verified = ["-Xverify:all".into(), format!("--patch-module=java.base={}", patch.display())];
        let patched = run(&verified, &[]);
        println!("JDK {}: {patched}", jdk.version);
        assert!(patched.contains(&format!("linked {}, failed 0", names.len())), "{patched}");
        assert_eq!(patched, plain, "the rewritten classes compute something else");

        // The classes that run are the rewritten ones.
        assert_eq!(run(&[], &["flags"]), "synchronized true\n");
        assert_eq!(run(&verified, &["flags"]), "synchronized false\n");

        // The check can fail: one class with too small a stack is noticed.
        write_class(&patch, BROKEN_CLASS, &broken_class());
        std::fs::write(&list, BROKEN_CLASS.replace('/', ".")).unwrap();
        let broken = run(&verified, &[]);
        assert!(broken.contains("VerifyError") && broken.contains("linked 0, failed 1"), "{broken}");
    }
}

/// Writes the rewritten classes under `patch` and gives their names.
fn rewrite_java_base(jdk: &Jdk, patch: &Path) -> Vec<String> {
    let classes = ClassPath::of_jdk(jdk).unwrap();
    let names = classes.classes_in_module("java.base").unwrap();
    let counts = Mutex::new((0, 0));
    support::for_each_class(&classes, names, |name, bytes| {
        let mut class = ClassFile::parse(bytes).unwrap();
        let rewritten = rewrite::rewrite(&mut class);
        assert_eq!(rewritten.left, [], "all of java.base fits");
        ClassFile::parse(&rewritten.bytes).unwrap_or_else(|e| panic!("{name} does not read back: {e}"));
        write_class(patch, name, &rewritten.bytes);
        let mut counts = counts.lock().unwrap();
        counts.0 += rewritten.hooks;
        counts.1 += rewritten.wrapped;
    });
    write_class(patch, rewrite::HOOK_CLASS, &rewrite::hook_class(rewrite::HOOK_CLASS));
    let (hooks, wrapped) = counts.into_inner().unwrap();
    println!("JDK {}: {} classes, {hooks} hooks, {wrapped} methods wrapped", jdk.version, names.len());
    assert!(hooks > 100_000 && wrapped > 500);
    names.iter().map(|name| name.to_string()).collect()
}

const BROKEN_CLASS: &str = "java/lang/RaddleTestBroken";

/// A class whose method needs more stack than it says.
fn broken_class() -> Vec<u8> {
    let mut class = ClassFile::new(BROKEN_CLASS, "java/lang/Object", 61).unwrap();
    let mut code = CodeBuilder::new(BROKEN_CLASS, "broken", "()V", Flags::STATIC);
    for instruction in [Instruction::Null, Instruction::Stack(StackOp::Pop), Instruction::Return(None)] {
        code.push(instruction, &class.constants).unwrap();
    }
    let mut code = code.finish(&mut class.constants).unwrap();
    code.max_stack = 0;
    class.add_method(Flags::STATIC, "broken", "()V", Some(code)).unwrap();
    class.write().unwrap()
}

fn write_class(folder: &Path, name: &str, bytes: &[u8]) {
    let file = folder.join(format!("{name}.class"));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, bytes).unwrap();
}
