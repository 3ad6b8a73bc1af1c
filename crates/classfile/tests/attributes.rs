//! Attributes of all kinds that a compiler writes are read as what they are, and written back.

mod support;

use classfile::{Attribute, AttributeValue, ClassFile, Field, Method};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything that the fixture gives rise to, which is the specification's list but for `Synthetic` and
/// `SourceDebugExtension`: today's compilers do not write them.
const EXPECTED: [&str; 28] = [
    "AnnotationDefault",
    "BootstrapMethods",
    "Code",
    "ConstantValue",
    "Deprecated",
    "EnclosingMethod",
    "Exceptions",
    "InnerClasses",
    "LineNumberTable",
    "LocalVariableTable",
    "LocalVariableTypeTable",
    "MethodParameters",
    "Module",
    "ModuleMainClass",
    "ModulePackages",
    "NestHost",
    "NestMembers",
    "PermittedSubclasses",
    "Record",
    "RuntimeInvisibleAnnotations",
    "RuntimeInvisibleParameterAnnotations",
    "RuntimeInvisibleTypeAnnotations",
    "RuntimeVisibleAnnotations",
    "RuntimeVisibleParameterAnnotations",
    "RuntimeVisibleTypeAnnotations",
    "Signature",
    "SourceFile",
    "StackMapTable",
];

#[test]
fn attributes_of_all_kinds() {
    for jdk in support::jdks() {
        let folder = tempfile::tempdir().unwrap();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/kinds");
        let files = ["module-info.java", "p/Kinds.java", "p/q/Marker.java"].map(|file| sources.join(file));
        let out = folder.path().join("classes");
        let compiled =
            Command::new(jdk.javac()).args(["-g", "-parameters", "-d"]).arg(&out).args(files).output().unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        // The jar tool adds the list of packages to the module's declaration.
        let jar = jdk.java().with_file_name("jar");
        let packed = Command::new(&jar).current_dir(&out).args(["cfe", "../k.jar", "p.Kinds", "."]).output().unwrap();
        assert!(packed.status.success(), "{packed:?}");
        let unpacked = Command::new(&jar).current_dir(&out).args(["xf", "../k.jar"]).output().unwrap();
        assert!(unpacked.status.success(), "{unpacked:?}");

        let mut seen = BTreeSet::new();
        for file in class_files(&out) {
            let bytes = std::fs::read(&file).unwrap();
            let class = ClassFile::parse(&bytes).unwrap();
            assert!(class.write().unwrap() == bytes, "{}", file.display());
            collect(&class, &mut seen);
        }
        println!("JDK {}: {} kinds", jdk.version, seen.len());
        for expected in EXPECTED {
            assert!(seen.contains(expected), "no {expected} among {seen:?}");
        }
    }
}

fn class_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(class_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "class") {
            files.push(path);
        }
    }
    files
}

/// Notes the names of all attributes that were read as what they are.
fn collect(class: &ClassFile<'_>, seen: &mut BTreeSet<String>) {
    let mut note = |attributes: &[Attribute<'_>]| {
        for attribute in attributes {
            let name = class.constants.utf8(attribute.name).to_string();
            let known = !matches!(attribute.value, AttributeValue::Unknown(_));
            assert!(known || !EXPECTED.contains(&&*name), "{name} was not understood");
            seen.extend(known.then_some(name));
        }
    };
    note(&class.attributes);
    class.fields.iter().for_each(|Field { attributes, .. }| note(attributes));
    for method @ Method { attributes, .. } in &class.methods {
        note(attributes);
        method.code().iter().for_each(|code| note(&code.attributes));
    }
    for attribute in &class.attributes {
        if let AttributeValue::Record(components) = &attribute.value {
            components.iter().for_each(|component| note(&component.attributes));
        }
    }
}
