//! Which classes are to be checked.

use anyhow::{anyhow, bail};
use classpath::ClassName;

use crate::explore::Place;
use crate::inspect::advice_for;

/// A class that is to be checked.
#[derive(Clone, Debug)]
pub struct Target {
    pub name: ClassName,
    /// Whether it was named by itself, and not with its package: then what is wrong with it is an error.
    pub is_named: bool,
}

/// The classes that the arguments name, each once, in their order.
pub fn resolve(targets: &[String], place: &Place) -> anyhow::Result<Vec<Target>> {
    let mut found: Vec<Target> = Vec::new();
    for text in targets {
        for target in one(text, place)? {
            match found.iter_mut().find(|known| known.name == target.name) {
                Some(known) => known.is_named |= target.is_named,
                None => found.push(target),
            }
        }
    }
    Ok(found)
}

fn one(text: &str, place: &Place) -> anyhow::Result<Vec<Target>> {
    let class_path = &place.class_path;
    let of_package = |package: &str| -> anyhow::Result<Vec<Target>> {
        let names = class_path.classes_in(package)?;
        // Nested classes are part of those around them.
        let outer = names.iter().filter(|name| !name.internal().contains('$') && !name.internal().ends_with("-info"));
        Ok(outer.map(|name| Target { name: name.clone(), is_named: false }).collect())
    };
    if let Some(package) = text.strip_suffix(".*") {
        let found = of_package(package)?;
        if found.is_empty() {
            bail!("there is no package {package}: correct the name, or name its jar or folder with --classpath");
        }
        return Ok(found);
    }
    if text.ends_with(".jar") || text.contains('/') {
        bail!("{text} is no class: name a class, such as com.acme.Cache, and its jar or folder with --classpath");
    }
    let name = ClassName::parse(text).map_err(|error| anyhow!("{error}; give a name such as java.util.Vector"))?;
    if let Some(found) = class_path.find(&name)? {
        return Ok(vec![Target { name: found.name, is_named: true }]);
    }
    let found = of_package(text)?;
    if !found.is_empty() {
        return Ok(found);
    }
    let jdk = &place.jdk;
    let at = if place.entries.is_empty() { "in" } else { "on the class path or in" };
    let advice = match place.entries.is_empty() {
        true => format!("{}; a class of your own needs --classpath", advice_for(&name, class_path.classes()?)),
        false => advice_for(&name, class_path.classes()?),
    };
    bail!("class {name} is not {at} JDK {} ({}): {advice}", jdk.version, jdk.home.display())
}
