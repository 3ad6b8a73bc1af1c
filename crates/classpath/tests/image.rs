//! Module images: those of the installed JDKs, one that is compressed, and damaged ones.

mod support;

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Command;

use classpath::{ClassName, ClassPath, Error, Jdk};
use support::{jdks, name, open, write};

const CLASS_MAGIC: [u8; 4] = [0xCA, 0xFE, 0xBA, 0xBE];

#[test]
fn every_listed_class_is_found_in_its_module() {
    for jdk in jdks() {
        let class_path = ClassPath::of_jdk(&jdk).unwrap();
        let mut classes = 0;
        for module in class_path.modules().unwrap() {
            for class in class_path.classes_in_module(module).unwrap() {
                let found = class_path.find_exact(class).unwrap().expect("a listed class");
                assert!(found.bytes.starts_with(&CLASS_MAGIC), "{class}");
                assert_eq!(found.name, *class);
                assert_eq!(found.origin.entry, jdk.modules_image());
                assert_eq!(found.origin.module, Some(module));
                classes += 1;
            }
        }
        assert_eq!(classes, class_path.classes().unwrap().count());
        assert!(classes > 5_000, "{classes} classes");
    }
}

#[test]
fn all_forms_of_a_name_find_the_class() {
    for jdk in jdks() {
        let class_path = ClassPath::of_jdk(&jdk).unwrap();
        for (given, expected) in [
            ("java.util.Vector", "java.util.Vector"),
            ("java/util/Vector", "java.util.Vector"),
            ("java.util.Map$Entry", "java.util.Map$Entry"),
            ("java.util.Map.Entry", "java.util.Map$Entry"),
            (
                "java.util.concurrent.locks.ReentrantReadWriteLock.Sync.HoldCounter",
                "java.util.concurrent.locks.ReentrantReadWriteLock$Sync$HoldCounter",
            ),
        ] {
            let found = class_path.find(&name(given)).unwrap().expect(given);
            assert_eq!(found.name.to_string(), expected);
            assert_eq!(found.origin.module, Some("java.base"));
        }
        let exactly = class_path.find_exact(&name("java.util.Map.Entry")).unwrap();
        assert!(exactly.is_none());
        for absent in ["java.util.NoSuch", "no.such.Class", "java.util", "Vector", "module-info"] {
            assert!(class_path.find(&name(absent)).unwrap().is_none(), "{absent}");
        }
    }
}

#[test]
fn an_uncompressed_class_is_lent_from_the_image() {
    // A JDK that jlink compressed may be installed too, so one that lends is enough.
    let lends = jdks().iter().any(|jdk| {
        let class_path = ClassPath::of_jdk(jdk).unwrap();
        let vector = class_path.find(&name("java.util.Vector")).unwrap().unwrap();
        matches!(vector.bytes, Cow::Borrowed(_))
    });
    assert!(lends);
}

#[test]
fn listings_by_package_and_by_module() {
    for jdk in jdks() {
        let class_path = ClassPath::of_jdk(&jdk).unwrap();
        assert!(class_path.modules().unwrap().any(|module| module == "java.base"));
        assert!(class_path.packages().unwrap().any(|package| package == "java.util.concurrent"));
        assert!(class_path.packages().unwrap().is_sorted());

        let util = class_path.classes_in("java.util").unwrap();
        assert!(util.contains(&name("java.util.Vector")));
        assert!(util.contains(&name("java.util.Map$Entry")));
        assert!(util.iter().all(|class| class.package() == "java.util"));
        assert!(util.is_sorted());
        assert_eq!(util, class_path.classes_in("java/util").unwrap());
        assert!(class_path.classes_in("java").unwrap().is_empty());

        let base = class_path.classes_in_module("java.base").unwrap();
        assert!(util.iter().all(|class| base.contains(class)));
        assert!(class_path.classes_in_module("java.nowhere").unwrap().is_empty());
        assert!(
            class_path.classes().unwrap().all(|class| !class.internal().ends_with("-info")),
            "neither module-info nor package-info is listed"
        );
    }
}

#[test]
fn the_listing_of_java_base_is_that_of_the_jimage_tool() {
    for jdk in jdks() {
        let tool = jdk.home.join("bin/jimage");
        let output = Command::new(&tool)
            .args(["list", "--include", "/java.base/**"])
            .arg(jdk.modules_image())
            .output()
            .expect("the jimage tool runs");
        let text = String::from_utf8(output.stdout).unwrap();
        let mut expected: Vec<ClassName> = text
            .lines()
            .filter_map(|line| line.trim().strip_suffix(".class"))
            .filter(|class| !class.ends_with("-info"))
            .map(name)
            .collect();
        expected.sort();
        let class_path = ClassPath::of_jdk(&jdk).unwrap();
        assert_eq!(class_path.classes_in_module("java.base").unwrap(), expected);
    }
}

#[test]
fn a_compressed_image_gives_the_same_classes() {
    let jdk = &jdks()[0];
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join("small");
    let zip = if jdk.feature < 21 { "--compress=2" } else { "--compress=zip-6" };
    let output = Command::new(jdk.home.join("bin/jlink"))
        .args(["--add-modules", "java.base", zip, "--output"])
        .arg(&home)
        .output()
        .expect("jlink runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));

    let small = Jdk::find(Some(&home)).unwrap();
    assert_eq!(small.version, jdk.version);
    let compressed = ClassPath::of_jdk(&small).unwrap();
    let plain = ClassPath::of_jdk(jdk).unwrap();
    let mut inflated = 0;
    for class in compressed.classes_in("java.util").unwrap() {
        let small = compressed.find_exact(class).unwrap().expect("a listed class");
        let full = plain.find_exact(class).unwrap().expect("in the full image too");
        assert_eq!(small.bytes, full.bytes, "{class}");
        inflated += usize::from(matches!(small.bytes, Cow::Owned(_)));
    }
    assert!(inflated > 100, "{inflated} compressed classes");
    check_damaged_classes(&small, &compressed);
}

/// Damage among the compressed classes is an error at some of them, and never a panic.
fn check_damaged_classes(jdk: &Jdk, sound: &ClassPath) {
    let classes = sound.classes_in("java.util").unwrap();
    let mut damaged = fs::read(jdk.modules_image()).unwrap();
    let (from, mut next) = (tables_of(jdk).len(), numbers());
    for _ in 0..damaged.len() / 500 {
        let at = from + next(damaged.len() - from);
        damaged[at] = next(256) as u8;
    }
    let path = write(&jdk.home, "damaged", &damaged);
    let class_path = open(&path);
    let errors = classes.iter().filter_map(|class| class_path.find_exact(class).err());
    let named = errors.map(|error| assert!(error.to_string().contains(path.to_str().unwrap()), "{error}"));
    assert!(named.count() > 100);
}

/// A fixed sequence of numbers below a bound, so that a failure is found again.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 1u64;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % bound
    }
}

/// The start of an image: all of its tables and none of its classes.
fn tables_of(jdk: &Jdk) -> Vec<u8> {
    let mut file = File::open(jdk.modules_image()).unwrap();
    let mut header = [0; 28];
    file.read_exact(&mut header).unwrap();
    let field = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().unwrap()) as usize;
    let size = 28 + 8 * field(16) + field(20) + field(24);
    let mut tables = fs::read(jdk.modules_image()).unwrap();
    tables.truncate(size);
    tables
}

/// Opens, lists and looks up; errors have to name the file.
fn use_all(path: &Path) -> Result<(), Error> {
    let mut class_path = ClassPath::new(17);
    class_path.push(path)?;
    class_path.find(&name("java.util.Vector"))?;
    class_path.find(&name("java.lang.Object"))?;
    class_path.classes()?.count();
    Ok(())
}

#[test]
fn a_truncated_image_is_an_error_that_names_it() {
    let temp = tempfile::tempdir().unwrap();
    let tables = tables_of(&jdks()[0]);
    for length in [4, 5, 27, 28, 29, 1000, tables.len() / 2, tables.len() - 1, tables.len()] {
        let path = write(temp.path(), "modules", &tables[..length]);
        let error = use_all(&path).expect_err("cut off").to_string();
        assert!(error.contains(path.to_str().unwrap()), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn damaged_tables_never_panic() {
    let temp = tempfile::tempdir().unwrap();
    let sound = tables_of(&jdks()[0]);
    let mut next = numbers();
    let mut errors = 0;
    for round in 0..60 {
        let mut damaged = sound.clone();
        // Half of the rounds hit the header's numbers, the others the tables all over.
        if round % 2 == 0 {
            damaged[4 + next(24)] = next(256) as u8;
        } else {
            for _ in 0..20_000 {
                let at = 28 + next(sound.len() - 28);
                damaged[at] = next(256) as u8;
            }
        }
        let path = write(temp.path(), "modules", &damaged);
        if let Err(error) = use_all(&path) {
            assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
            errors += 1;
        }
    }
    assert!(errors > 30, "{errors} of 60 damages were seen");
}

#[test]
fn an_image_without_slots_holds_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let mut empty = 0xCAFE_DADA_u32.to_le_bytes().to_vec();
    empty.extend(0x0001_0000_u32.to_le_bytes());
    empty.extend([0; 20]);
    let class_path = open(&write(temp.path(), "modules", &empty));
    assert!(class_path.find(&name("java.util.Vector")).unwrap().is_none());
    assert_eq!(class_path.classes().unwrap().count(), 0);
}
