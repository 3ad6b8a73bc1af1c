//! Names like one that was not found.
//!
//! A name is like it if both differ in at most two letters, or if it is the same class name in another
//! package: any, if there are classes in the one that was named, else one that begins like it. Where nothing begins so, the
//! class path is what is wrong. Dots, slashes and dollar signs count as the same letter. A name given without a package is
//! compared without packages.

use classpath::ClassName;

/// How many names are worth a look.
const AT_MOST: usize = 3;

/// The most similar names, the best first.
pub fn suggest<'n>(wanted: &ClassName, names: impl Iterator<Item = &'n ClassName>) -> Vec<&'n ClassName> {
    let wanted = normal(wanted);
    let names: Vec<(String, &ClassName)> = names.map(|name| (normal(name), name)).collect();
    let package = split(&wanted).0;
    let is_known = names.iter().any(|(name, _)| split(name).0 == package);
    let ranked = names.iter().filter_map(|(normal, name)| Some((rank(&wanted, normal)?, normal, *name)));
    let is_likely = |way: usize, name: &str| way == 0 || is_known || owner(name) == owner(package);
    let likely = ranked.filter(|((way, ..), normal, _)| is_likely(*way, normal));
    let mut similar: Vec<_> = likely.map(|(rank, _, name)| (rank, name)).collect();
    similar.sort();
    // Where a slip explains the name, other packages do not.
    let best = similar.first().map(|((way, ..), _)| *way);
    similar.into_iter().filter(|((way, ..), _)| Some(*way) == best).map(|(_, name)| name).take(AT_MOST).collect()
}

/// How unlike two names are; None if too much. First the way in which they are alike, then how little.
fn rank(wanted: &str, name: &str) -> Option<(usize, usize, usize)> {
    let (package, wanted_class) = split(wanted);
    let (other_package, class) = split(name);
    let class_differs = !wanted_class.eq_ignore_ascii_case(class);
    let near = match package {
        // Two letters of a short name are most of it.
        "" => distance(wanted_class, class, (wanted_class.len() / 3).min(2)),
        _ => distance(wanted, name, 2),
    };
    match near {
        Some(letters) if !package.is_empty() || class_differs => Some((0, letters, name.len())),
        _ if class_differs => None,
        // Of the same class name in many packages, those of Java itself are the likeliest.
        _ if package.is_empty() => Some((0, usize::from(!name.starts_with("java.")), name.len())),
        _ => Some((1, distance(package, other_package, usize::MAX)?, name.len())),
    }
}

fn normal(name: &ClassName) -> String {
    name.internal().replace(['/', '$'], ".")
}

fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

/// The first two parts of a name, which mostly say whose it is: `org.apache`.
fn owner(name: &str) -> &str {
    name.match_indices('.').nth(1).map_or(name, |(end, _)| &name[..end])
}

/// How many letters have to be put in, taken out or replaced; None if more than `most`.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    // A letter is at most four bytes.
    if a.len().abs_diff(b.len()) > most.saturating_mul(4) {
        return None;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
        // The rest can only cost more.
        if row.iter().all(|&cost| cost > most) {
            return None;
        }
    }
    Some(row[b.len()]).filter(|&cost| cost <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: &str, expected: &[&str]) {
        let names = [
            "com.acme.HashMap",
            "java.lang.String",
            "java.util.HashMap",
            "java.util.HashMap$Node",
            "java.util.Hashtable",
            "java.util.Vector",
            "java.util.concurrent.ConcurrentHashMap",
            "jdk.incubator.vector.Vector",
        ]
        .map(|name| ClassName::parse(name).unwrap());
        let wanted = ClassName::parse(wanted).unwrap();
        let similar: Vec<String> = suggest(&wanted, names.iter()).iter().map(|name| name.to_string()).collect();
        assert_eq!(similar, expected, "{wanted}");
    }

    #[test]
    fn a_slip_in_the_name() {
        check("java.util.Vektor", &["java.util.Vector"]);
        check("java.util.hashmap", &["java.util.HashMap"]);
        check("java.util.HashMap.Nod", &["java.util.HashMap$Node"]);
        check("Vektor", &["java.util.Vector", "jdk.incubator.vector.Vector"]);
    }

    #[test]
    fn the_same_class_in_another_package() {
        check("java.lang.Vector", &["java.util.Vector", "jdk.incubator.vector.Vector"]);
        check("HashMap", &["java.util.HashMap", "com.acme.HashMap"]);
        check("java.util.HashMap.Noodles", &[]);
        check("com.acme.Nothing", &[]);
        check("com.acme.old.HashMap", &["com.acme.HashMap"]);
        // That is not a slip: its jar is missing.
        check("org.example.Vector", &[]);
    }
}
