//! Module declarations, which `module-info` classes hold.

use classfile::{AttributeValue, ClassFile, Constant, Exports, Module, Provides, Requires};

use super::head::{Fact, some};
use super::outline::Declaration;
use super::spelling;

/// The module that the class file declares, if it declares one.
pub fn of<'c>(class: &'c ClassFile<'_>) -> Option<&'c Module> {
    class.attributes.iter().find_map(|attribute| match &attribute.value {
        AttributeValue::Module(module) => Some(&**module),
        _ => None,
    })
}

/// The declaration of a module.
pub fn declaration(class: &ClassFile<'_>, module: &Module) -> Declaration {
    const OPEN: u16 = 0x20;
    let version = module.version.map(|version| format!("@{}", spelling::plain(class.constants.utf8(version))));
    Declaration {
        modifiers: if module.flags & OPEN != 0 { vec!["open"] } else { vec![] },
        before: "module ".to_owned(),
        name: text_of(class, module.name.raw()),
        after: version.unwrap_or_default(),
        throws: Vec::new(),
    }
}

/// What a module requires, exports, opens, uses and provides.
pub fn facts(class: &ClassFile<'_>, module: &Module) -> Vec<Fact> {
    const TRANSITIVE: u16 = 0x20;
    const STATIC: u16 = 0x40;
    let class_name = |index| spelling::qualified(class.constants.class_name(index));
    let required = |required: &Requires| {
        let transitive = if required.flags & TRANSITIVE != 0 { "transitive " } else { "" };
        let optional = if required.flags & STATIC != 0 { "static " } else { "" };
        format!("{transitive}{optional}{}", text_of(class, required.module.raw()))
    };
    let exported = |exported: &Exports| {
        let to: Vec<String> = exported.to.iter().map(|to| text_of(class, to.raw())).collect();
        let package = text_of(class, exported.package.raw());
        if to.is_empty() { package } else { format!("{package} (to {})", to.join(", ")) }
    };
    let provided = |provided: &Provides| {
        let with: Vec<String> = provided.with.iter().map(|&with| class_name(with)).collect();
        format!("{} (with {})", class_name(provided.service), with.join(", "))
    };
    some([
        ("requires", module.requires.iter().map(required).collect()),
        ("exports", module.exports.iter().map(exported).collect()),
        ("opens", module.opens.iter().map(exported).collect()),
        ("uses", module.uses.iter().map(|&service| class_name(service)).collect()),
        ("provides", module.provides.iter().map(provided).collect()),
    ])
}

/// The name of a module or package.
fn text_of(class: &ClassFile<'_>, number: u16) -> String {
    match class.constants.get(number) {
        Some(Constant::Module(name) | Constant::Package(name)) => spelling::qualified(class.constants.utf8(name)),
        _ => unreachable!("internal bug: a module names modules and packages"),
    }
}
