//! The Maven project with the tests, built; and which peers Maven can get.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};

use super::outcome::Missing;
use super::process::{self, Ended};

/// Artifacts without which a peer does not run, asked for so that the page says what is true where it is made.
const NEEDED: &[(&str, &str)] = &[
    ("Fray", "org.pastalab.fray:fray-core:0.8.0"),
    ("Fray", "org.pastalab.fray.instrumentation:fray-instrumentation-agent:0.8.0"),
    ("Fray", "org.pastalab.fray.instrumentation:fray-instrumentation-jdk:0.8.0"),
    ("JMC", "org.mpi-sws.jmc:jmc:0.1.2"),
    ("JMC", "org.mpi-sws.jmc:jmc-agent:0.1.2"),
];

const MAVEN: Duration = Duration::from_secs(600);

/// The tests, compiled.
#[derive(Debug)]
pub struct Project {
    folder: PathBuf,
    java_home: PathBuf,
    pub java_version: String,
    /// The tests' classes and the peers' jars.
    class_path: String,
}

impl Project {
    /// Compiles the tests and gets the jars.
    pub fn build(folder: &Path, java_home: PathBuf) -> anyhow::Result<Project> {
        let project =
            Project { folder: folder.to_owned(), java_home, java_version: String::new(), class_path: String::new() };
        let file = folder.join("target/classpath");
        let output = format!("-Dmdep.outputFile={}", file.display());
        let built = project.maven(&["compile", "dependency:build-classpath", &output])?;
        if built.status != Some(0) {
            let said = built.stdout.lines().chain(built.stderr.lines()).find(|line| line.contains("ERROR"));
            let said = said.unwrap_or("it does not say why").trim_start_matches("[ERROR] ");
            bail!("Maven cannot build {}: {said}", folder.display());
        }
        let jars = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let version = process::run(project.java().arg("-version"), Duration::from_secs(60))?;
        Ok(Project {
            class_path: format!("{}:{}", project.classes().display(), jars.trim()),
            java_version: version.stderr.lines().next().unwrap_or_default().to_owned(),
            ..project
        })
    }

    /// Where the tests' classes are, for a tool that needs no jars.
    pub fn classes(&self) -> PathBuf {
        self.folder.join("target/classes")
    }

    pub fn java_home(&self) -> &Path {
        &self.java_home
    }

    /// `java`, without anything.
    pub fn java(&self) -> Command {
        Command::new(self.java_home.join("bin/java"))
    }

    /// `java` with the tests and the peers on its class path.
    pub fn java_with_peers(&self) -> Command {
        let mut java = self.java();
        java.args(["-cp", &self.class_path]);
        java
    }

    /// Versions of the peers that run, as the project names them.
    pub fn versions(&self) -> anyhow::Result<Vec<(String, String)>> {
        let file = self.folder.join("pom.xml");
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let version = |name: &str| {
            let begin = text.find(&format!("<{name}.version>"))? + name.len() + "<.version>".len();
            Some(text[begin..].split('<').next()?.to_owned())
        };
        let named = |name: &str| (name.to_owned(), version(name).unwrap_or_else(|| "unknown".to_owned()));
        let raddle = ("raddle".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        Ok(vec![raddle, named("lincheck"), named("jcstress")])
    }

    /// Which needed artifacts of other peers Maven cannot get, and what it says.
    pub fn missing(&self) -> Vec<Missing> {
        let ask = |(peer, artifact): &(&'static str, &'static str)| {
            let asked = self.maven(&["-U", "dependency:get", "-Dtransitive=false", &format!("-Dartifact={artifact}")]);
            let said = match asked {
                Ok(ended) if ended.status == Some(0) => return None,
                Ok(ended) => first_error(&ended),
                Err(error) => error.to_string(),
            };
            Some(Missing { peer: (*peer).to_owned(), artifact: (*artifact).to_owned(), said })
        };
        NEEDED.iter().filter_map(ask).collect()
    }

    fn maven(&self, goals: &[&str]) -> anyhow::Result<Ended> {
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "-f"]).arg(self.folder.join("pom.xml")).args(goals).env("JAVA_HOME", &self.java_home);
        process::run(&mut maven, MAVEN)
    }
}

/// The JDK that `java` on the path belongs to, unless `JAVA_HOME` names one.
pub fn java_home() -> anyhow::Result<PathBuf> {
    if let Some(home) = std::env::var_os("JAVA_HOME") {
        return Ok(home.into());
    }
    let asked =
        process::run(Command::new("java").args(["-XshowSettings:properties", "-version"]), Duration::from_secs(60))?;
    let line = asked.stderr.lines().find_map(|line| line.trim().strip_prefix("java.home = "));
    line.map(PathBuf::from).context("java does not say where it is: name a JDK with --java-home")
}

/// What Maven says is wrong, without its own names around it.
fn first_error(ended: &Ended) -> String {
    let mut lines = ended.stdout.lines().chain(ended.stderr.lines());
    let error = lines.find_map(|line| line.split_once("artifact: ").filter(|_| line.contains("ERROR")));
    let what = error.map_or("Maven failed.", |(_, what)| what);
    without_places(what)
}

/// What Maven says, without where it looked: that is a matter of this machine.
fn without_places(what: &str) -> String {
    let told = what.split(" in ").next().unwrap_or_default();
    told.trim().chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_maven_looked_is_not_told() {
        for place in ["central (https://host/maven2)", "https://host/maven2 during a previous attempt"] {
            let told = without_places(&format!("Could not find artifact a:b:jar:1 in {place}"));
            assert_eq!(told, "Could not find artifact a:b:jar:1");
        }
    }
}
