//! A call that computes without an end, and touches nothing meanwhile, is given up. So what else the class does is tested.

use crate::jdks;
use crate::support::{Raddle, compile};

const CLASS: &str = "public class Brooder {
    private boolean isBusy;
    public void enter() {
        if (isBusy) throw new IllegalStateException(\"two at once\");
        isBusy = true;
        isBusy = false;
    }
    public long brood(long from) {
        long sum = from;
        for (long step = 1; step != 0; step += 2) sum ^= step;
        return sum;
    }
}";

#[test]
fn what_computes_without_an_end_is_given_up() {
    let jdk = &jdks()[0];
    println!("JDK {}", jdk.version);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Brooder.java");
    std::fs::write(&file, CLASS).unwrap();
    compile(jdk, &[file], folder.path(), folder.path());
    let check = |more: &[&str]| {
        let arguments = [&["Brooder", "--effort", "2000000"], more].concat();
        Raddle::new(jdk).check(folder.path(), &arguments)
    };
    let (status, report) = check(&["--first"]);
    let findings = report["classes"][0]["findings"].as_array().unwrap();
    let is_of_enter = |finding: &serde_json::Value| finding["methods"][0] == "enter()V";
    assert!(status == 1 && findings.iter().all(is_of_enter), "{report:#}");
    let (status, report) = check(&["--skip", "enter"]);
    let given_up = "no end within 2 s, in code that accesses nothing";
    assert!(status == 2 && report["classes"][0]["unknown"][given_up].as_u64() > Some(0), "{report:#}");
}
