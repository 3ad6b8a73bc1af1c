//! Jars that name others in their manifests, made by the JDK's own tool and held against what the JDK makes of them.

mod support;

use std::path::Path;
use std::process::Command;

use classpath::{ClassPath, Jdk};
use support::{found, jdks, listed, write};

/// Prints where the class path has a file, in order.
const SHOW: &[u8] = b"public class Show {
    public static void main(String[] arguments) throws Exception {
        for (java.net.URL url : java.util.Collections.list(ClassLoader.getSystemResources(\"who\"))) {
            System.out.println(new String(url.openStream().readAllBytes()));
        }
    }
}";

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the tool runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Makes a jar of a class and of a file `who` with its own name, with this `Class-Path`.
fn jar(jdk: &Jdk, folder: &Path, name: &str, names: &str) {
    let content = format!("content of {name}").replace('/', " of ");
    write(folder, &format!("{content}/who"), name.as_bytes());
    let class = format!("p/{}.class", name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_"));
    write(folder, &format!("{content}/{class}"), b"a class");
    std::fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
    let mut tool = Command::new(jdk.home.join("bin/jar"));
    tool.current_dir(folder).args(["--create", "--file", name]);
    if !names.is_empty() {
        // The tool breaks the line as the specification wants it.
        write(folder, "manifest", format!("Class-Path: {names}\n").as_bytes());
        tool.args(["--manifest", "manifest"]);
    }
    run(tool.args(["-C", &content, "."]));
}

#[test]
fn manifests_are_followed_as_the_jdk_does() {
    for jdk in jdks() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path();
        write(folder, "show/Show.java", SHOW);
        run(Command::new(jdk.javac()).arg(folder.join("show/Show.java")));
        // Each names what is not there, too, and what is no jar.
        let many: Vec<String> = (0..12).map(|number| format!("lib/missing-{number}.jar")).collect();
        let named = format!("lib/b.jar {} ./classes/ classes lib text.txt lib/../lib/b.jar", many.join(" "));
        jar(&jdk, folder, "main.jar", &named);
        jar(&jdk, folder, "lib/b.jar", "c.jar ../main.jar b.jar with%20space.jar");
        jar(&jdk, folder, "lib/c.jar", "b.jar last.jar");
        jar(&jdk, folder, "lib/with space.jar", "");
        jar(&jdk, folder, "lib/last.jar", &format!("file:{}", folder.join("absolute.jar").display()));
        jar(&jdk, folder, "absolute.jar", "");
        jar(&jdk, folder, "given.jar", "");
        write(folder, "classes/who", b"classes");
        write(folder, "text.txt", b"no jar");
        write(folder, "lib/broken.jar", b"PK nothing");
        std::os::unix::fs::symlink(folder.join("main.jar"), folder.join("show/link.jar")).unwrap();
        for given in [
            &["main.jar"][..],
            &["main.jar", "given.jar"],
            &["given.jar", "main.jar", "lib/c.jar"],
            &["lib/c.jar", "main.jar", "given.jar"],
            &["show/link.jar", "given.jar"],
            &["given.jar"],
        ] {
            let paths: Vec<_> = given.iter().map(|name| folder.join(name)).collect();
            let text = std::env::join_paths(&paths).unwrap().into_string().unwrap();
            let class_path = ClassPath::parse(&text, jdk.feature).unwrap();
            let mut ours: Vec<String> = Vec::new();
            for entry in class_path.entries() {
                let entry = entry.canonicalize().unwrap();
                let name = entry.strip_prefix(folder.canonicalize().unwrap()).unwrap().to_str().unwrap().to_owned();
                // What is given after something else has named it is there twice, and found once.
                if !ours.contains(&name) {
                    ours.push(name);
                }
            }
            let show = std::env::join_paths([folder.join("show")].iter().chain(&paths)).unwrap();
            let theirs = run(Command::new(jdk.home.join("bin/java")).arg("-cp").arg(show).arg("Show"));
            assert_eq!(ours, theirs.lines().collect::<Vec<_>>(), "{given:?}");
            assert_eq!(class_path.given().collect::<Vec<_>>(), paths);
            let named = class_path.named_by_manifests().count();
            assert_eq!(class_path.entries().count(), given.len() + named);
        }
    }
}

#[test]
fn classes_of_what_manifests_name_are_found_and_listed() {
    for jdk in jdks() {
        let temp = tempfile::tempdir().unwrap();
        jar(&jdk, temp.path(), "main.jar", "other.jar");
        jar(&jdk, temp.path(), "other.jar", "");
        let main = temp.path().join("main.jar");
        let class_path = ClassPath::parse(main.to_str().unwrap(), jdk.feature).unwrap();
        assert_eq!(listed(&class_path), ["p.main_jar", "p.other_jar"]);
        assert_eq!(found(&class_path, "p.other_jar").as_deref(), Some("a class"));
        // An entry by itself is nothing else.
        let mut alone = ClassPath::new(jdk.feature);
        alone.push(&main).unwrap();
        assert_eq!(listed(&alone), ["p.main_jar"]);
        alone.follow_manifests();
        assert_eq!(listed(&alone), ["p.main_jar", "p.other_jar"]);
    }
}
