//! Every pass fixture is certified, with the number of traces that `certificates.txt` says, unless its header says why it is not.

use crate::fixtures;
use crate::worker::Worker;
use crate::{AUTO, jdks};
use raddle::worker::protocol::{Certificate, Explore, Plan};
use std::collections::BTreeMap;
use std::path::Path;

/// `RADDLE_BLESS=1` writes the file anew, for the JDKs that are here.
#[test]
fn pass_fixtures_are_certified_with_as_many_traces_as_ever() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explore/certificates.txt");
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let blessed: BTreeMap<String, String> =
        text.lines().filter_map(|line| line.split_once(": ")).map(|(key, what)| (key.into(), what.into())).collect();
    let mut seen = blessed.clone();
    for jdk in jdks() {
        let fixtures = fixtures::all("pass", &jdk);
        let folder = tempfile::tempdir().unwrap();
        fixtures::compile(&jdk, &fixtures, folder.path());
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        for fixture in &fixtures {
            // With time to explain, as users have it, the first execution is run again in the end.
            let plan = Explore { explain_millis: 600_000, ..AUTO };
            let report = worker.run(&fixture.job(Plan::Explore(plan)));
            let explored = report.explored.unwrap();
            assert!(explored.findings.is_empty(), "{}: {:#?}", fixture.name, explored.findings);
            if fixture.uncertified.is_some() {
                // What threads do depends on something that is no event, which reduction must notice or be told of.
                let is_known = explored.unexpected > 0 || !explored.unseen.is_empty();
                assert!(is_known && explored.certificate.is_none(), "{} is certified", fixture.name);
                continue;
            }
            assert_eq!((report.unstable, explored.unexpected), (0, 0), "{}", fixture.name);
            let certificate = explored.certificate.unwrap_or_else(|| panic!("{} is not certified", fixture.name));
            let certificate = words(&certificate);
            println!("JDK {} {}: {certificate}", jdk.version, fixture.name);
            seen.insert(format!("{} on {}", fixture.name, jdk.feature), certificate);
        }
    }
    if std::env::var_os("RADDLE_BLESS").is_some() {
        let lines: String = seen.iter().map(|(key, what)| format!("{key}: {what}\n")).collect();
        std::fs::write(&file, lines).unwrap();
        return;
    }
    let differences: Vec<_> = seen.iter().filter(|(key, what)| blessed.get(*key) != Some(what)).collect();
    assert!(differences.is_empty(), "not as blessed: {differences:#?}");
}

fn words(certificate: &Certificate) -> String {
    let Certificate {
        traces,
        race_free,
        events_a_thread,
        timeouts,
        wakeups,
        no_wakeups,
        interrupts,
        loops,
        chance,
        references,
    } = *certificate;
    let mut words = vec![format!("{traces} traces")];
    words.extend((!race_free).then(|| "sequentially consistent executions only".into()));
    words.extend(events_a_thread.map(|events| format!("at most {events} events a thread")));
    words.extend(timeouts.then(|| "time-outs come last".into()));
    words.extend(wakeups.then(|| "as many wake-ups as allowed".into()));
    words.extend(no_wakeups.then(|| "no wake-ups without cause".into()));
    words.extend(interrupts.then(|| "interrupts or notifications".into()));
    words.extend(loops.then(|| "loops held".into()));
    words.extend(chance.then(|| "chance fixed".into()));
    words.extend(references.then(|| "references kept".into()));
    words.join(", ")
}
