//! The comment at the top of a program.

use super::Request;

/// Says what the program shows, and how it is compiled and run.
pub fn header(request: &Request<'_>, is_fresh: bool, name: &str, package: &str) -> String {
    let mut lines: Vec<String> = request.what.lines().map(str::to_owned).collect();
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.extend([
        format!(
            "This program needs nothing but a JDK{}.",
            if request.class_path.is_empty() { "" } else { " and the class path below" }
        ),
        "It repeats the test until the violation shows, and then exits with status 1. It gives up after".to_owned(),
        format!(
            "{} rounds or {} seconds, with status 0. Status 2: no round could begin.",
            request.rounds, request.seconds
        ),
    ]);
    if is_fresh {
        lines.push(
            "Classes are loaded anew for each round, for the threads share what may be in static fields.".to_owned(),
        );
    }
    lines.push(String::new());
    lines.extend(commands(request.class_path, name, package, "[rounds [seconds]]"));
    lines.extend([String::new(), format!("Written by Raddle with seed {}.", request.seed)]);
    if let Some(replay) = request.replay {
        lines.extend(["To run the failing execution itself again:".to_owned(), String::new(), format!("    {replay}")]);
    }
    comment(&lines)
}

/// How a program is compiled and run.
pub fn commands(class_path: &[String], name: &str, package: &str, arguments: &str) -> [String; 2] {
    let full = if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") };
    let given = class_path.join(":");
    let compile = if given.is_empty() { String::new() } else { format!("-cp {} ", quoted(&given)) };
    let run = if given.is_empty() { ".".to_owned() } else { quoted(&format!(".:{given}")) };
    [format!("    javac {compile}-d . {name}.java"), format!("    java -cp {run} {full} {arguments}")]
}

/// A comment of these lines.
pub fn comment(lines: &[String]) -> String {
    let body: String = lines.iter().map(|line| format!(" * {}", plain(line)).trim_end().to_owned() + "\n").collect();
    format!("/*\n{body} */\n")
}

/// For a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/.:_-+=,@%".contains(c);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Text that neither ends the comment nor is an escape, which compilers read even there.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut backslashes = 0;
    for c in text.chars() {
        if c == 'u' && backslashes % 2 == 1 {
            out.push('\\');
        }
        if c == '/' && out.ends_with('*') {
            out.push(' ');
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_comment() {
        assert_eq!(plain("a */ b **/ c:\\users \\\\users \n x"), "a * / b ** / c:\\\\users \\\\users   x");
    }

    #[test]
    fn shells_get_what_is_meant() {
        assert_eq!(quoted("/a/b.jar:c"), "/a/b.jar:c");
        assert_eq!(quoted("/my jars/it's"), "'/my jars/it'\\''s'");
    }
}
