//! Brings the class path of a subject: jars by Maven, and sources of this repository by `javac`.
//!
//! Jars are kept beside the binary, with a note of what they are: where that is there, nothing is fetched again.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::record::hash;
use crate::subjects::Subject;

/// The class path of a subject, fetched into a folder below `store` if it is not there.
pub fn class_path(subject: &Subject, store: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut path = Vec::new();
    if let Some(fixture) = &subject.fixture {
        path.push(compile(fixture, store)?);
    }
    for (coordinates, alone) in [(&subject.maven, false), (&subject.maven_alone, true)] {
        if !coordinates.is_empty() {
            path.extend(jars(coordinates, alone, store)?);
        }
    }
    Ok(path)
}

/// Whether what these need to be fetched and compiled is installed, before anything is begun.
pub fn ensure_tools(subjects: &[&Subject]) -> anyhow::Result<()> {
    let needs_maven = |subject: &&Subject| !subject.maven.is_empty() || !subject.maven_alone.is_empty();
    let needed = [
        ("mvn", subjects.iter().any(needs_maven), "jars are fetched by Maven"),
        ("javac", subjects.iter().any(|subject| subject.fixture.is_some()), "fixtures are compiled by a JDK"),
    ];
    for (tool, _, why) in needed.into_iter().filter(|(_, is_needed, _)| *is_needed) {
        let asked = Command::new(tool).arg("-version").stdin(Stdio::null()).output();
        if !asked.is_ok_and(|output| output.status.success()) {
            bail!("{tool} does not run, and {why}: install it, or name subjects that need none");
        }
    }
    Ok(())
}

fn compile(fixture: &str, store: &Path) -> anyhow::Result<PathBuf> {
    let source = crate::home().join("..").join(fixture);
    let text = std::fs::read(&source).with_context(|| format!("cannot read {fixture}"))?;
    // Another check may be reading these classes, so they are written once.
    let classes = store.join("fixtures").join(hash(&text));
    let done = classes.join("compiled");
    if !done.is_file() {
        std::fs::create_dir_all(&classes)?;
        run(Command::new("javac").args(["-nowarn", "-g", "-d"]).arg(&classes).arg(&source))
            .with_context(|| format!("cannot compile {fixture}"))?;
        std::fs::write(&done, fixture)?;
    }
    Ok(classes)
}

fn jars(coordinates: &[String], alone: bool, store: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let wanted = coordinates.join(" ");
    let folder = store.join(wanted.replace([':', ' '], "_") + if alone { "_alone" } else { "" });
    let done = folder.join("fetched");
    if !done.is_file() {
        std::fs::create_dir_all(&folder)?;
        let pom = folder.join("pom.xml");
        std::fs::write(&pom, project(coordinates)?)?;
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "-f"]).arg(&pom).arg("dependency:copy-dependencies");
        maven.arg(format!("-DoutputDirectory={}", folder.display()));
        maven.arg("-DincludeScope=runtime").arg(format!("-DexcludeTransitive={alone}"));
        run(&mut maven).with_context(|| format!("cannot fetch {wanted}"))?;
        std::fs::write(&done, &wanted)?;
    }
    let mut jars: Vec<PathBuf> = std::fs::read_dir(&folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "jar"))
        .collect();
    jars.sort();
    if jars.is_empty() {
        bail!("{wanted} has no jars");
    }
    Ok(jars)
}

/// A project that needs these.
fn project(coordinates: &[String]) -> anyhow::Result<String> {
    let mut dependencies = String::new();
    for one in coordinates {
        let parts: Vec<&str> = one.split(':').collect();
        let [group, artifact, version] = parts[..] else { bail!("{one} are no coordinates: group:artifact:version") };
        dependencies += &format!(
            "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version></dependency>"
        );
    }
    Ok(format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>study</groupId><artifactId>study</artifactId><version>1</version>\
         <dependencies>{dependencies}</dependencies></project>\n"
    ))
}

/// Runs a command; what it says is told only if it fails, and then in one line.
fn run(command: &mut Command) -> anyhow::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot run {name}: is it installed?"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let error =
        said.lines().find(|line| line.contains("ERROR") || line.contains("error:")).unwrap_or("it does not say why");
    let error: String = error.trim_start_matches("[ERROR] ").chars().take(300).collect();
    bail!("{name} failed (without a network it can use only what it has fetched before): {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_three_parts() {
        assert!(project(&["colt:colt:1.2.0".into()]).unwrap().contains("<version>1.2.0</version>"));
        assert!(project(&["colt".into()]).is_err());
    }

    #[test]
    fn what_a_failing_command_says_is_one_line() {
        let failed = run(Command::new("sh").args(["-c", "echo '[ERROR] no route'; echo more; exit 1"])).unwrap_err();
        let text = format!("{failed:#}");
        assert!(text.ends_with("no route") && !text.contains('\n'), "{text}");
        assert!(run(&mut Command::new("no-such-command")).is_err());
    }
}
