//! The fence: what code under test tries outside does not happen, and the report says what was refused.

use std::collections::BTreeMap;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use classpath::Jdk;
use host::{CallResult, Value};
use raddle::supervisor::Task;
use raddle::worker::protocol::{Answer, Job};
use raddle::worker::reason::Reason;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use testcase::{Argument, Call, Operation, TestCase};

use crate::support::{Run, compile, fixtures, header, honest, jdk, jdks, job, name, random, stderr, task};

const SECRET: &str = "nobody's business";

/// What is outside the fence, and must stay as it is.
struct Outside {
    folder: tempfile::TempDir,
    listener: TcpListener,
    datagrams: UdpSocket,
}

impl Outside {
    fn new() -> Outside {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret"), SECRET).unwrap();
        std::fs::create_dir(folder.path().join("empty")).unwrap();
        let (listener, datagrams) =
            (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        listener.set_nonblocking(true).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        Outside { folder, listener, datagrams }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// Names, contents, permissions and times.
    fn state(&self) -> BTreeMap<String, (Vec<u8>, u32, i64)> {
        let entry = |path: &Path| {
            let metadata = path.symlink_metadata().unwrap();
            let content = if metadata.is_file() { std::fs::read(path).unwrap() } else { vec![] };
            (content, metadata.mode(), metadata.mtime_nsec())
        };
        let entries = std::fs::read_dir(self.folder.path()).unwrap().map(|found| found.unwrap().path());
        entries.map(|path| (path.to_str().unwrap().to_owned(), entry(&path))).collect()
    }

    fn assert_untouched(&self, before: &BTreeMap<String, (Vec<u8>, u32, i64)>) {
        assert_eq!(&self.state(), before);
        let nobody = std::io::ErrorKind::WouldBlock;
        assert_eq!(self.listener.accept().unwrap_err().kind(), nobody, "somebody has connected");
        assert_eq!(self.datagrams.recv(&mut [0; 1]).unwrap_err().kind(), nobody, "somebody has sent something");
    }
}

/// One execution of calls of static methods, one after the other.
fn calls(class: &str, methods: &[(&str, &str, Vec<Argument>)]) -> Job {
    let call = |(name, descriptor, arguments): &(&str, &str, Vec<Argument>)| Call {
        operation: Operation::Static { class: class.into(), name: (*name).into(), descriptor: (*descriptor).into() },
        arguments: arguments.clone(),
    };
    let test = TestCase { prefix: vec![], suffixes: vec![methods.iter().map(call).collect(), vec![]], probes: vec![] };
    Job { test, under_test: vec![class.into()], plan: random(0, 1), limits: host::Limits::default(), opened: vec![] }
}

/// What the calls of the first suffix gave, as text.
fn results(answer: &Answer) -> Vec<String> {
    let Answer::Done(report) = answer else { panic!("{answer:?}") };
    let text = |result: &CallResult| match result {
        CallResult::Returned(Value::Object(object)) => format!("{:?}", object.content),
        other => format!("{other:?}"),
    };
    report.shown.suffixes[0].iter().map(text).collect()
}

#[test]
fn nothing_happens_outside_and_the_report_says_what_was_refused() {
    for jdk in jdks() {
        let mut sources = fixtures("fence");
        sources
            .retain(|source| header(source, "since").is_none_or(|since| since.parse::<u32>().unwrap() <= jdk.feature));
        let classes = compile(&jdk, &sources);
        let outside = Outside::new();
        let before = outside.state();
        let (secret, new, empty) = (outside.path("secret"), outside.path("new"), outside.path("empty"));
        let text = |path: &str| Argument::String(path.into());
        let port = outside.listener.local_addr().unwrap().port();
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let datagrams = outside.datagrams.local_addr().unwrap().port();
        const OF_TEXT: &str = "(Ljava/lang/String;)Ljava/lang/String;";
        const OF_TEXTS: &str = "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;";
        const OF_PORT: &str = "(I)Ljava/lang/String;";
        let attempts = [
            ("delete", OF_TEXT, vec![text(&secret)]),
            ("delete", OF_TEXT, vec![text(&empty)]),
            ("write", OF_TEXT, vec![text(&secret)]),
            ("write", OF_TEXT, vec![text(&new)]),
            ("create", OF_TEXT, vec![text(&new)]),
            ("rename", OF_TEXTS, vec![text(&secret), text(&new)]),
            ("link", OF_TEXTS, vec![text(&secret), text(&new)]),
            ("detour", OF_TEXT, vec![text(&secret)]),
            ("permit", OF_TEXT, vec![text(&secret)]),
            ("read", OF_TEXT, vec![text(&secret)]),
            ("list", OF_TEXT, vec![text(outside.folder.path().to_str().unwrap())]),
            ("exec", OF_TEXT, vec![text(&new)]),
            ("connect", OF_PORT, vec![Argument::Int(port.into())]),
            ("bind", OF_PORT, vec![Argument::Int(free.into())]),
            ("send", OF_PORT, vec![Argument::Int(datagrams.into())]),
            ("signal", "()Ljava/lang/String;", vec![]),
        ];
        let allowed = [("allowed", "()Ljava/lang/String;", vec![])];
        let natives = ["kill", "fork", "limit", "exec"].map(|name| (name, "()I", vec![]));
        let mut tasks =
            vec![task("attempts", calls("Intruder", &attempts)), task("allowed", calls("Intruder", &allowed))];
        if sources.len() > 1 {
            tasks.push(task("natives", calls("NativeIntruder", &natives)));
        }
        let run = Run::new(&jdk, classes.path(), &tasks);
        // It would end early if the signal arrived.
        run.finish(&["--jobs", "1"]);
        outside.assert_untouched(&before);

        let outcomes = run.outcomes();
        let outcome = &outcomes["attempts"];
        let results = results(&outcome.answer);
        assert_eq!(results.len(), attempts.len());
        for ((name, ..), result) in attempts.iter().zip(&results) {
            println!("JDK {} {name}: {result}", jdk.version);
            assert!(!result.contains("done") && !result.contains(SECRET), "JDK {} {name}: {result}", jdk.version);
        }
        let report = run.report();
        let refused: [String; 16] = [
            format!("delete {secret}"),
            format!("delete {empty}"),
            format!("write {secret}"),
            format!("write {new}"),
            format!("change the times of {secret}"),
            format!("make the folder {new}"),
            format!("rename {secret} to {new}"),
            format!("link {new} to {secret}"),
            format!("change the permissions of {secret}"),
            format!("read {secret}"),
            format!("read {}", outside.folder.path().display()),
            "start a process".into(),
            format!("connect to 127.0.0.1 port {port}"),
            format!("bind 127.0.0.1 port {free}"),
            "open a socket".into(),
            // Without that, Java knows of no parent that it could send a signal to.
            "read /proc/".into(),
        ];
        assert_eq!(self::results(&outcomes["allowed"].answer), ["Returned(String(\"own true false false\"))"]);
        assert_eq!(outcomes["allowed"].refused, Vec::<String>::new());
        if let Some(natives) = outcomes.get("natives") {
            let failed = format!("{:?}", CallResult::Returned(Value::Int(-1)));
            assert_eq!(self::results(&natives.answer), vec![failed; 4]);
        }
        for what in refused {
            assert!(report.contains(&format!("was not allowed to {what}")), "JDK {} {what}: {report}", jdk.version);
        }
    }
}

#[test]
fn what_is_allowed_to_be_read_can_be_read() {
    let jdk = jdk();
    let classes = compile(&jdk, &fixtures("fence"));
    let outside = Outside::new();
    let before = outside.state();
    let secret = outside.path("secret");
    let read = ("read", "(Ljava/lang/String;)Ljava/lang/String;", vec![Argument::String(secret.clone())]);
    let write = ("write", "(Ljava/lang/String;)Ljava/lang/String;", vec![Argument::String(secret.clone())]);
    let run = Run::new(&jdk, classes.path(), &[task("allowed", calls("Intruder", &[read, write]))]);
    run.finish(&["--jobs", "1", "--allow-read", &secret]);
    let results = results(&run.outcomes()["allowed"].answer);
    assert!(results[0].contains(SECRET) && !results[1].contains("done"), "{results:?}");
    outside.assert_untouched(&before);
}

#[test]
fn what_was_refused_before_a_crash_is_reported() {
    for jdk in jdks() {
        let crashes = fixtures("hostile").into_iter().find(|source| name(source) == "Crashes").unwrap();
        let classes = compile(&jdk, &[honest("fence/Intruder"), crashes.clone()]);
        let outside = Outside::new();
        let secret = outside.path("secret");
        let mut both = job(&crashes, random(0, 1));
        let delete = ("delete", "(Ljava/lang/String;)Ljava/lang/String;", vec![Argument::String(secret.clone())]);
        both.test.suffixes[0].splice(..0, calls("Intruder", &[delete]).test.suffixes.remove(0));
        let run = Run::new(&jdk, classes.path(), &[task("both", both), task("crash", job(&crashes, random(0, 1)))]);
        run.finish(&["--jobs", "1"]);
        let outcomes = run.outcomes();
        for outcome in outcomes.values() {
            assert!(matches!(outcome.answer, Answer::Unknown(Reason::Crashed { .. })), "{:?}", outcome.answer);
        }
        assert_eq!(outcomes["both"].refused, [format!("delete {secret}")], "JDK {}", jdk.version);
        // What the virtual machine cannot look at when it writes about its crash is not the code under test's.
        assert_eq!(outcomes["crash"].refused, Vec::<String>::new(), "JDK {}", jdk.version);
    }
}

fn honest_tasks() -> Vec<Task> {
    vec![task("honest", job(&honest("fail/Counter"), random(0, 10)))]
}

fn honest_run(jdk: &Jdk) -> (tempfile::TempDir, Run) {
    let classes = compile(jdk, &[honest("fail/Counter")]);
    let run = Run::new(jdk, classes.path(), &honest_tasks());
    (classes, run)
}

/// Does something where there is no Landlock: a filter hides it from this thread and all that it starts, so they see what a
/// kernel without it would say.
fn without_landlock<T: Send>(body: impl FnOnce() -> T + Send) -> T {
    let hide = || {
        let filter = SeccompFilter::new(
            [(libc::SYS_landlock_create_ruleset, vec![])].into(),
            SeccompAction::Allow,
            SeccompAction::Errno(libc::ENOSYS as u32),
            std::env::consts::ARCH.try_into().unwrap(),
        );
        let program: BpfProgram = filter.unwrap().try_into().unwrap();
        seccompiler::apply_filter(&program).unwrap();
        body()
    };
    std::thread::scope(|scope| scope.spawn(hide).join().unwrap())
}

#[test]
fn without_landlock_it_says_so_and_goes_on_only_without_a_fence() {
    let jdk = jdk();
    let (_classes, run) = honest_run(&jdk);
    let (refused, unfenced) = without_landlock(|| {
        let refused = run.command(&["--jobs", "1"]).output().unwrap();
        assert!(!run.out().exists(), "it must refuse before it begins");
        (refused, run.command(&["--jobs", "1", "--no-fence"]).output().unwrap())
    });
    let told = stderr(&refused);
    assert_eq!((refused.status.code(), told.lines().count()), (Some(2), 1), "{told}");
    assert!(told.contains("no Landlock") && told.contains("--no-fence"), "{told}");
    assert!(unfenced.status.success(), "{}", stderr(&unfenced));
}

#[test]
fn without_landlock_only_classes_that_are_allowed_run_and_the_rest_of_the_fence_stands() {
    let jdk = jdk();
    let classes = compile(&jdk, &[honest("fence/Intruder"), honest("fail/Counter")]);
    let outside = Outside::new();
    let before = outside.state();
    let port = outside.listener.local_addr().unwrap().port();
    let connect = ("connect", "(I)Ljava/lang/String;", vec![Argument::Int(port.into())]);
    let intruder = task("intruder", calls("Intruder", &[connect]));
    let run = Run::new(&jdk, classes.path(), &[intruder, honest_tasks().remove(0)]);
    let output = without_landlock(|| run.command(&["--jobs", "1", "--allow-unfenced", "Intruder"]).output().unwrap());
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{told}");
    let last = told.lines().last().unwrap();
    assert!(last.contains("1 jobs were not run") && last.contains("no Landlock"), "{told}");
    let outcomes = run.outcomes();
    assert_eq!(outcomes.len(), 1);
    assert!(!results(&outcomes["intruder"].answer)[0].contains("done"), "{:?}", outcomes["intruder"]);
    assert!(outcomes["intruder"].refused.contains(&format!("connect to 127.0.0.1 port {port}")));
    assert!(run.report().contains("honest: not done"), "{}", run.report());
    outside.assert_untouched(&before);
}

#[test]
fn the_fence_changes_no_result() {
    let jdk = jdk();
    let (_classes, fenced) = honest_run(&jdk);
    fenced.finish(&["--jobs", "1"]);
    let (_classes, open) = honest_run(&jdk);
    open.finish(&["--jobs", "1", "--no-fence"]);
    assert_eq!(fenced.outcomes(), open.outcomes());
}
