//! What is written can be read, and what cannot be read is told in a line.

use crate::findings;
use report::{Finding, Unreadable, document::FORMAT};

fn check_broken(document: &str, reason: &str) {
    let told = Finding::read(document).expect_err("it is broken").to_string();
    assert!(told.contains(reason) && !told.contains('\n'), "{told}");
}

#[test]
fn findings_are_read_as_they_were_written() {
    for finding in findings::all() {
        let document = finding.document();
        assert_eq!(Finding::read(&document), Ok(finding.clone()));
        let json: serde_json::Value = serde_json::from_str(&document).unwrap();
        assert_eq!((&json["format"], &json["id"]), (&FORMAT.into(), &finding.id().into()));
        assert_eq!(document, finding.document());
    }
}

#[test]
fn a_document_looks_like_this() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/deadlock.json");
    let document = findings::deadlock().document();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &document).unwrap();
    }
    assert_eq!(document, std::fs::read_to_string(&file).unwrap_or_default());
}

#[test]
fn what_is_added_later_is_passed_over() {
    let finding = findings::lost_update();
    let document = finding.document().replacen('{', "{\n  \"colour\": [1, {}],", 1);
    assert_eq!(Finding::read(&document), Ok(finding));
}

#[test]
fn a_newer_format_is_told() {
    let newer = r#"{ "format": 7, "raddle": "3.1.4", "steps": "packed" }"#;
    let told = Finding::read(newer).unwrap_err();
    assert_eq!(told, Unreadable::Newer { format: 7, raddle: "3.1.4".into() });
    assert_eq!(
        told.to_string(),
        "the finding has format 7, and this raddle reads no newer one than 1: use raddle 3.1.4"
    );
    check_broken(r#"{ "format": 9 }"#, "use raddle of a newer version");
}

#[test]
fn broken_documents_are_told_in_a_line() {
    check_broken("", "EOF");
    check_broken("package com.acme;", "expected value");
    check_broken("[1, 2]", "no finding");
    check_broken("{}", "format");
    check_broken(r#"{ "format": 0 }"#, "no format 0");
    check_broken(r#"{ "format": -1 }"#, "no finding");
    check_broken(r#"{ "format": 1, "kind": "bad\nluck" }"#, "luck");
    let whole = findings::lost_update().document();
    check_broken(&whole[..whole.len() / 2], "EOF");
    check_broken(&whole.replace("\"read\"", "\"jump\""), "no step is called");
    check_broken(&whole.replace("\"first\": 4", "\"first\": 8"), "names steps 8 and 6, and there are 8");
}

#[test]
fn the_id_is_of_the_violation_and_not_of_the_run() {
    let finding = findings::lost_update();
    let mut other =
        Finding { seed: 77, executions_to_find: 9, what: finding.what.replace("150", "50"), ..finding.clone() };
    other.steps.iter_mut().flat_map(|step| &mut step.frames).for_each(|frame| frame.line = Some(1));
    assert_eq!(finding.id(), other.id());
    // It names folders that are on disk: it must not change from version to version.
    assert_eq!(finding.id(), "0e8c92efd11496fc");
    let ids: std::collections::BTreeSet<String> = findings::all().iter().map(Finding::id).collect();
    assert_eq!(ids.len(), findings::all().len());
}
