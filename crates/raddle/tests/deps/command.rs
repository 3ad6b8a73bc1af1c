//! What the command prints and writes.

use serde_json::Value;

use crate::support::{deps, fixtures, jdks, refused, shown};

#[test]
fn a_class_as_a_table_with_its_matrix() {
    for jdk in jdks() {
        let folder = fixtures(&jdk);
        let text = shown(deps(&jdk, ["BufferedStream", "--classpath"]).arg(folder.path()));
        let expected = [
            "BufferedStream",
            "4 public methods, 10 pairs: 3 conflict in parallel (M_pc), 0 lock in opposite order (M_d)",
        ];
        assert!(text.starts_with(&expected.join("\n")), "{text}");
        let mark = text.lines().find(|line| line.starts_with("  2  mark(int)")).unwrap();
        assert!(mark.contains("1      2  this"), "{mark}");
        let close = text.lines().rfind(|line| line.starts_with("  1  close()")).unwrap();
        assert!(close.ends_with("P P . P"), "{text}");
    }
}

#[test]
fn one_pair_is_explained_with_source_lines() {
    for jdk in jdks() {
        let folder = fixtures(&jdk);
        let text = shown(deps(&jdk, ["BufferedStream", "--pair", "close,read", "--classpath"]).arg(folder.path()));
        for line in [
            "close() and read()",
            "  conflict: yes   parallel: yes   double lock: no   score: 8",
            "  all of close() is protected by nothing",
            "  this.buf (BufferedStream.buf): no common lock",
            "    write at BufferedStream.close (BufferedStream.java:55) under no lock",
        ] {
            assert!(text.lines().any(|shown| shown == line), "no line {line:?} in\n{text}");
        }
        let table = shown(deps(&jdk, ["Table", "--pair", "equals(Object), equals", "--classpath"]).arg(folder.path()));
        assert!(table.contains("equals holds this, takes o at Table.size (Table.java:"), "{table}");
    }
}

#[test]
fn the_lines_of_a_pair_are_shown_if_their_sources_are_there() {
    let jdk = jdks().remove(0);
    let folder = fixtures(&jdk);
    let place = "    write at BufferedStream.close (BufferedStream.java:55) under no lock\n";
    let pair = |folder: &std::path::Path| {
        let mut command = deps(&jdk, ["BufferedStream", "--pair", "close,read", "--classpath"]);
        command.arg(folder);
        command
    };
    let without = shown(&mut pair(folder.path()));
    assert!(without.contains(&format!("{place}    read at")), "{without}");
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/deps");
    let with = shown(pair(folder.path()).args(["--source-path", sources]));
    assert!(with.contains(&format!("{place}        buf = null;\n")), "{with}");
    let line = refused(pair(folder.path()).args(["--source-path", "/gone"]));
    assert_eq!(line, "there is no /gone: correct --source-path");
}

#[test]
fn what_needs_a_second_shared_object_says_which() {
    let jdk = jdks().remove(0);
    let folder = fixtures(&jdk);
    let explained =
        |class: &str, pair: &str| shown(deps(&jdk, [class, "--pair", pair, "--classpath"]).arg(folder.path()));
    let text = explained("Joined", "addAll,clear");
    for line in [
        "  conflict: no   parallel: no   double lock: no   score: 0",
        "  if argument 1 of addAll is the other's subject:",
        "  other.count (Joined.count): each under other",
    ] {
        assert!(text.lines().any(|shown| shown == line), "no line {line:?} in\n{text}");
    }
    let text = explained("Account", "foo,foo");
    assert!(text.contains("\n  if two subjects share this.f, which setF(Account$Counter) sets:\n"), "{text}");
    let json = shown(deps(&jdk, ["Account", "--json", "-", "--classpath"]).arg(folder.path()));
    let class = &serde_json::from_str::<Value>(&json).unwrap()["classes"][0];
    assert_eq!(class["setters"][0]["by"][0]["method"], "setF(Account$Counter)");
    let shares = class["dependencies"].as_array().unwrap().iter().flat_map(|d| d["second_shares"].as_array().unwrap());
    let shares: Vec<&Value> = shares.collect();
    assert!(shares.iter().any(|share| share["through"] == "field" && share["setters"] == 0), "{shares:?}");
}

#[test]
fn json_and_svg_hold_the_same_matrix() {
    let jdk = jdks().remove(0);
    let folder = fixtures(&jdk);
    let svg = folder.path().join("matrix.svg");
    let mut command = deps(&jdk, ["Account", "--json", "-", "--svg"]);
    let document: Value =
        serde_json::from_str(&shown(command.arg(&svg).arg("--classpath").arg(folder.path()))).unwrap();
    let class = &document["classes"][0];
    assert_eq!(class["class"], "Account");
    assert_eq!(document["java"], *jdk.version);
    let names: Vec<&str> = class["methods"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    let bar_zee = class["dependencies"].as_array().unwrap().iter().find(|dependency| {
        let pair = [0, 1].map(|at| names[dependency["methods"][at].as_u64().unwrap() as usize]);
        pair == ["bar", "zee"]
    });
    let bar_zee = bar_zee.expect("bar and zee depend on each other");
    assert_eq!((&bar_zee["conflict"], &bar_zee["parallel"]), (&Value::Bool(true), &Value::Bool(true)));
    let location = bar_zee["conflicts"][0]["location"].as_u64().unwrap() as usize;
    assert_eq!(class["locations"][location]["path"], "this.g.size");
    let picture = std::fs::read_to_string(svg).unwrap();
    // A rectangle a cell, one for the ground and four for the legend, and the same names on both sides.
    assert_eq!(picture.matches("<rect").count(), names.len() * names.len() + 5);
    assert_eq!(picture.matches("zee()</text>").count(), 2);
}

#[test]
fn a_package_and_a_folder_are_analysed_whole() {
    let jdk = jdks().remove(0);
    let folder = fixtures(&jdk);
    let text = shown(deps(&jdk, [folder.path()]).arg("--json").arg(folder.path().join("all.json")));
    assert!(text.contains("Account$Counter") && text.contains("1 interfaces passed over, 0 refused"), "{text}");
    let document: Value = serde_json::from_slice(&std::fs::read(folder.path().join("all.json")).unwrap()).unwrap();
    assert_eq!(document["refused"], Value::Array(vec![]));
    let text = shown(&mut deps(&jdk, ["java.util.concurrent.atomic.*"]));
    assert!(text.contains("java.util.concurrent.atomic.AtomicInteger ") && text.contains(", 0 refused"), "{text}");
}

#[test]
fn wrong_arguments() {
    let jdk = jdks().remove(0);
    let folder = fixtures(&jdk);
    for (args, line) in [
        (&["Account", "--pair", "foo"][..], "--pair takes two methods with a comma between: --pair add,remove(Object)"),
        (&["Account", "--pair", "foo,fo"], "Account has no public method fo: leave --pair out to see which it has"),
        (&["no.such.*"], "there is no package no.such: correct the name, or name its jar or folder with --classpath"),
        (&["gone.jar"], "there is no file gone.jar: name another jar, or a class"),
        (&["java.util.Map"], "java.util.Map is an interface, which has no state: name a class that implements it"),
        (
            &["java.util.concurrent.atomic.*", "--pair", "a,b"],
            "--pair and --svg are about one class: name one instead of java.util.concurrent.atomic.*",
        ),
    ] {
        assert_eq!(refused(deps(&jdk, args).arg("--classpath").arg(folder.path())), line, "{args:?}");
    }
    let missing = refused(&mut deps(&jdk, ["java.util.Vektor"]));
    assert!(missing.ends_with("did you mean java.util.Vector?"), "{missing}");
}
