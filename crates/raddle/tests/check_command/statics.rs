//! Classes whose static initialisers cannot run again are checked all the same, without certificates and without false findings.

use crate::jdks;
use crate::support::{Raddle, compile};

/// Registers itself where nothing is put back, which can be done once. The second loses updates.
const CLASSES: [(&str, &str); 2] = [
    (
        "Listed",
        "public class Listed {
            interface Left { java.util.Map<String, String> BEHIND = new java.util.HashMap<>(); }
            private static int all;
            static {
                if (Left.BEHIND.put(\"listed\", \"yes\") != null) throw new IllegalStateException(\"listed twice\");
            }
            private int count;
            public synchronized int add() { all++; return ++count; }
            public synchronized int count() { return count; }
        }",
    ),
    (
        "ListedBadly",
        "public class ListedBadly {
            interface Left { java.util.Map<String, String> BEHIND = new java.util.HashMap<>(); }
            private static final Object[] table = new Object[1];
            static {
                if (Left.BEHIND.put(\"listed\", \"yes\") != null) throw new IllegalStateException(\"listed twice\");
            }
            private boolean isBusy;
            public void enter() {
                if (isBusy) throw new IllegalStateException(\"two at once\");
                isBusy = true;
                table[0] = this;
                isBusy = false;
            }
        }",
    ),
];

#[test]
fn a_class_that_can_be_initialised_once_is_checked_without_certificates() {
    for jdk in &jdks() {
        println!("JDK {}", jdk.version);
        let folder = tempfile::tempdir().unwrap();
        let files = CLASSES.map(|(name, text)| {
            let file = folder.path().join(format!("{name}.java"));
            std::fs::write(&file, text).unwrap();
            file
        });
        compile(jdk, &files, folder.path(), folder.path());
        let check = |class: &str| Raddle::new(jdk).check(folder.path(), &[class, "--effort", "4000000"]);
        let (status, report) = check("Listed");
        let class = &report["classes"][0];
        assert_eq!(
            (status, &class["verdict"], &class["certified"]),
            (0, &"nothing found".into(), &0.into()),
            "{report:#}"
        );
        let note = "static state of Listed cannot be put back: its static initialiser fails when it runs again \
            (java.lang.IllegalStateException: listed twice); no test is certified";
        assert!(class["notes"].as_array().unwrap().contains(&note.into()), "{report:#}");
        // That it fails is true, but each virtual machine has run other orders of the calls before.
        let (status, report) = check("ListedBadly");
        let class = &report["classes"][0];
        assert_eq!((status, &class["verdict"]), (2, &"unknown".into()), "{report:#}");
        assert_eq!(class["unconfirmed"][0]["what"], "java.lang.IllegalStateException: two at once", "{report:#}");
    }
}
