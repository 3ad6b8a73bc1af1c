//! Multi-release jars: which of a jar's `META-INF/versions/N` folders count for a JDK.
//!
//! The rules are those of the jar specification: the main section of the manifest says
//! `Multi-Release: true`, N is at least 9 and at most the JDK's feature release, and the highest N that
//! holds the class wins. As in the JDK, its words may be in either case.

const FOLDER: &str = "META-INF/versions/";
const FIRST: u32 = 9;

/// The folder of version `n` in a jar.
pub(crate) fn folder(n: u32) -> String {
    format!("{FOLDER}{n}/")
}

/// Splits the name of a file in a version's folder into N and the name of the file for which it stands.
pub(crate) fn split(name: &str) -> Option<(u32, &str)> {
    let (n, rest) = name.strip_prefix(FOLDER)?.split_once('/')?;
    // `parse` would take a sign, and `folder` would not give leading zeros back.
    let n = n.parse().ok().filter(|parsed: &u32| parsed.to_string() == n)?;
    (n >= FIRST).then_some((n, rest))
}

/// Whether the main section of a manifest, which ends at the first empty line, has the line
/// `Multi-Release: true`. As in the JDK, a line with other spaces or without an end does not count.
pub(crate) fn is_multi_release(manifest: &[u8]) -> bool {
    String::from_utf8_lossy(manifest)
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .split_inclusive('\n')
        .take_while(|line| *line != "\n")
        .any(|line| line.eq_ignore_ascii_case("Multi-Release: true\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_file_names() {
        assert_eq!(split("META-INF/versions/9/a/B.class"), Some((9, "a/B.class")));
        assert_eq!(split("META-INF/versions/21/B.class"), Some((21, "B.class")));
        for name in [
            "META-INF/versions/8/B.class",
            "META-INF/versions/09/B.class",
            "META-INF/versions/+9/B.class",
            "META-INF/versions/x/B.class",
            "META-INF/versions/99999999999/B.class",
            "META-INF/versions/9",
            "a/META-INF/versions/9/B.class",
        ] {
            assert_eq!(split(name), None, "{name}");
        }
    }

    #[test]
    fn only_the_main_section_counts() {
        for manifest in [
            "Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n",
            "Manifest-Version: 1.0\rMulti-Release: true\r",
            "multi-release: TRUE\n",
        ] {
            assert!(is_multi_release(manifest.as_bytes()), "{manifest:?}");
        }
        for manifest in [
            "",
            "Manifest-Version: 1.0\n\nName: a\nMulti-Release: true\n",
            "Manifest-Version: 1.0\r\rMulti-Release: true\n",
            "Multi-Release: false\n",
            "Multi-Release: true",
            "Multi-Release: true \n",
            "Multi-Release:true\n",
            "Multi-Release: tr\n ue\n",
        ] {
            assert!(!is_multi_release(manifest.as_bytes()), "{manifest:?}");
        }
        assert!(!is_multi_release(b"\xFF\xFE"));
    }
}
