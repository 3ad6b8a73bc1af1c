//! In which package a test must stand.

use crate::hierarchy::Hierarchy;
use crate::types::{Access, ClassFacts, package};
use crate::{Unsayable, Why};
use testcase::{Argument, Behaviour, Call, Operation, TestCase};

/// The one package that sees all that the test names, with slashes. The unnamed one if everything is public.
pub fn choose(hierarchy: &Hierarchy<'_>, test: &TestCase) -> Result<String, Unsayable> {
    let mut choice = Choice { hierarchy, package: None, conflict: None };
    let calls = test.prefix.iter().chain(test.suffixes.iter().flatten()).chain(&test.probes);
    calls.for_each(|call| choice.call(call));
    match choice.conflict {
        Some(what) => Err(Unsayable { what, why: Why::Hidden }),
        None => Ok(choice.package.unwrap_or_default()),
    }
}

struct Choice<'c, 't> {
    hierarchy: &'c Hierarchy<'t>,
    package: Option<String>,
    conflict: Option<String>,
}

impl Choice<'_, '_> {
    fn call(&mut self, call: &Call) {
        let class = call.operation.class();
        self.class(class);
        let (name, descriptor, is_field) = match &call.operation {
            Operation::Construct { descriptor, .. } => ("<init>", descriptor, false),
            Operation::Static { name, descriptor, .. } | Operation::Virtual { name, descriptor, .. } => {
                (name.as_str(), descriptor, false)
            }
            Operation::GetField { name, descriptor, .. }
            | Operation::PutField { name, descriptor, .. }
            | Operation::GetStatic { name, descriptor, .. }
            | Operation::PutStatic { name, descriptor, .. } => (name.as_str(), descriptor, true),
            Operation::Array { .. } => ("", &String::new(), false),
            Operation::Implement { descriptor, methods, .. } => {
                methods.iter().for_each(|method| self.behaviour(&method.does));
                self.implemented(class);
                ("<init>", descriptor, false)
            }
        };
        let member = match is_field {
            true => self.hierarchy.field(class, name),
            false => self.hierarchy.method(class, name, descriptor).map(|method| (method.by, method.facts)),
        };
        if let Some((by, member)) = member {
            let is_subclass = matches!(call.operation, Operation::Implement { .. });
            if member.access != Access::Public && !(is_subclass && member.access == Access::Protected) {
                self.require(&by);
            }
        }
        call.for_each_argument(&mut |argument| {
            if let Argument::Class(name) = argument {
                self.class(name);
            }
        });
    }

    fn behaviour(&mut self, behaviour: &Behaviour) {
        match behaviour {
            Behaviour::Nothing | Behaviour::Return(_) => {}
            Behaviour::Throw { class, .. } => self.class(class),
            Behaviour::Call(call) => self.call(call),
            Behaviour::InTurn(turns) => turns.iter().for_each(|turn| self.behaviour(turn)),
        }
    }

    /// What a subclass has to implement, it must see.
    fn implemented(&mut self, class: &str) {
        for by in self.hierarchy.supertypes(class) {
            if by.methods.iter().any(|method| method.is_abstract && method.access == Access::Package) {
                self.require(&by);
            }
        }
    }

    fn class(&mut self, name: &str) {
        let name = name.trim_start_matches('[');
        let name = crate::descriptor::class(name).unwrap_or(name);
        if let Some(facts) = self.hierarchy.class(name)
            && (facts.access != Access::Public || package(name).is_empty())
        {
            self.require(&facts);
        }
    }

    fn require(&mut self, facts: &ClassFacts) {
        // Nothing can be put there: it is refused when it is written, if it is not seen by way of another class.
        if facts.of_jdk {
            return;
        }
        let required = facts.package();
        if self.package.get_or_insert_with(|| required.to_owned()) != required {
            self.conflict.get_or_insert_with(|| facts.name.replace('/', "."));
        }
    }
}
