//! The statements of a test, as text that is read or as lines of a program.

use crate::class_names::ClassNames;
use crate::descriptor;
use crate::hierarchy::Hierarchy;
use crate::local_names::LocalNames;
use crate::types::Types;
use crate::writer::{Given, Local, Scope, Writer};
use std::collections::{BTreeMap, BTreeSet};
use testcase::{Argument, Call, Operation, TestCase};

/// A test in short.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statements {
    /// What the simple names mean that are not of `java.lang`: `java.util.Vector`.
    pub imports: Vec<String>,
    /// Statements, each in a line.
    pub prefix: Vec<String>,
    /// What each thread does, in lines without a semicolon.
    pub threads: Vec<Vec<String>>,
    /// Likewise.
    pub probes: Vec<String>,
}

/// Says in short what a test does.
pub fn statements(test: &TestCase, types: &dyn Types) -> Statements {
    let hierarchy = Hierarchy::new(types);
    let mut writer = Writer { hierarchy, classes: ClassNames::default(), place: None, problem: None };
    let parts = writer.parts(test, &[], Around::default());
    let short = |statement: &Vec<String>| statement.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let list = |statements: &Vec<Vec<String>>| statements.iter().map(short).collect::<Vec<_>>();
    Statements {
        prefix: parts.prefix.iter().map(|statement| short(statement) + ";").collect(),
        threads: parts.suffixes.iter().map(list).collect(),
        probes: list(&parts.probes),
        imports: writer.classes.imports().map(str::to_owned).collect(),
    }
}

/// What stands around the calls of suffixes and probes in a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around {
    /// Between two calls of a suffix, the variable `turn` is asked.
    pub turns: bool,
    /// They hand what they give to the variable `results`.
    pub results: bool,
}

/// The calls of a suffix whose values probes use, by their numbers in it, with the array of one element that takes each in a
/// program.
type Kept = BTreeMap<usize, Option<String>>;

/// The statements of a test, each in lines, without a semicolon behind.
pub struct Parts {
    pub prefix: Vec<Vec<String>>,
    pub suffixes: Vec<Vec<Vec<String>>>,
    pub probes: Vec<Vec<String>>,
    /// The names of the objects that the prefix made.
    pub objects: Vec<String>,
}

impl Writer<'_> {
    /// Writes all calls.
    pub fn parts(&mut self, test: &TestCase, avoid: &[&str], around: Around) -> Parts {
        // Inside a class that is extended its fields hide variables.
        let mut fields = BTreeSet::new();
        let all = || test.prefix.iter().chain(test.suffixes.iter().flatten()).chain(&test.probes);
        for call in all().filter(|call| matches!(call.operation, Operation::Implement { .. })) {
            let supertypes = self.hierarchy.supertypes(call.operation.class());
            fields.extend(supertypes.iter().flat_map(|class| class.fields.iter()).map(|field| field.name.clone()));
        }
        let avoided = avoid.iter().copied().chain(fields.iter().map(String::as_str));
        let mut scope = Scope { names: LocalNames::avoiding(avoided), ..Scope::default() };
        let used = used(all());
        let mut prefix = self.calls(&test.prefix, &used, &mut scope, Around::default(), &Kept::new());
        let objects = scope.values.iter().flatten().filter(|local| crate::descriptor::is_reference(&local.of));
        let objects = objects.map(|local| local.name.clone()).collect();
        let handed = test.handed_over();
        let mut suffixes = Vec::new();
        let mut missing = Vec::new();
        for (number, suffix) in test.suffixes.iter().enumerate() {
            let mut inner = scope.clone();
            let first = inner.values.len();
            let handed: Vec<usize> = handed.range((number, 0)..(number + 1, 0)).map(|(_, call)| *call).collect();
            // A program has no variables that other threads can use, other than what the prefix has.
            let name =
                |call: &usize| (*call, if self.place.is_some() { Some(inner.names.number("returned")) } else { None });
            let kept: Kept = handed.iter().map(name).collect();
            // Values of the prefix count too, but they are variables already.
            let mut used = self::used(suffix);
            used.extend(handed.iter().map(|call| first + call));
            suffixes.push(self.calls(suffix, &used, &mut inner, around, &kept));
            for (call, kept) in kept {
                let Some(local) = inner.values.get(first + call).cloned().flatten() else { continue };
                scope.names.number(kept.as_ref().unwrap_or(&local.name));
                let given = match kept {
                    None => Given { text: local.name, of: local.of },
                    Some(kept) => {
                        let boxed = descriptor::primitive(&local.of).map(|(.., boxed)| descriptor::of_class(boxed));
                        let type_name = self.type_name(boxed.as_ref().unwrap_or(&local.of));
                        prefix.push(vec![format!("{type_name}[] {kept} = {{null}}")]);
                        missing.push(format!("{kept}[0] == null"));
                        let cast = boxed.map_or(String::new(), |_| format!("({}) ", self.type_name(&local.of)));
                        Given { text: format!("{cast}{kept}[0]"), of: local.of }
                    }
                };
                scope.returned.insert((number, call), given);
            }
        }
        let used = self::used(&test.probes);
        let around = Around { turns: false, ..around };
        let mut probes = self.calls(&test.probes, &used, &mut scope, around, &Kept::new());
        if !missing.is_empty() {
            probes.insert(0, vec![format!("if ({}) return", missing.join(" || "))]);
        }
        Parts { prefix, suffixes, probes, objects }
    }

    fn calls(
        &mut self,
        calls: &[Call],
        used: &BTreeSet<usize>,
        scope: &mut Scope,
        around: Around,
        kept: &Kept,
    ) -> Vec<Vec<String>> {
        let mut statements = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            if around.turns && number > 0 {
                statements.push(vec!["turn.next()".to_owned()]);
            }
            let is_used = used.contains(&scope.values.len());
            // The class that the test writes has no name that would say anything.
            let tell = around.results && !matches!(call.operation, Operation::Implement { .. });
            self.statement(call, is_used, scope, tell, &mut statements);
            if let (Some(Some(kept)), Some(Some(local))) = (kept.get(&number), scope.values.last()) {
                statements.push(vec![format!("{kept}[0] = {}", local.name)]);
            }
        }
        statements
    }

    fn statement(
        &mut self,
        call: &Call,
        is_used: bool,
        scope: &mut Scope,
        tell: bool,
        statements: &mut Vec<Vec<String>>,
    ) {
        let written = self.call(call, scope);
        if written.of == "V" || !is_used && !tell && written.is_statement {
            scope.values.push(None);
            statements.push(written.lines);
        } else if !is_used && tell {
            scope.values.push(None);
            statements.push(enclosed("results.add(", written.lines, ")"));
        } else {
            let of = self.nameable(&written.of);
            let name = scope.names.take(&of, member(&call.operation));
            let declared = format!("{} {name} = ", self.type_name(&of));
            scope.values.push(Some(Local { name: name.clone(), of }));
            statements.push(enclosed(&declared, written.lines, ""));
            if tell {
                statements.push(vec![format!("results.add({name})")]);
            }
        }
    }
}

fn enclosed(before: &str, mut lines: Vec<String>, after: &str) -> Vec<String> {
    lines[0].insert_str(0, before);
    lines.last_mut().expect("internal bug: a call is at least a line").push_str(after);
    lines
}

/// The numbers of values that calls use.
fn used<'c>(calls: impl IntoIterator<Item = &'c Call>) -> BTreeSet<usize> {
    let mut used = BTreeSet::new();
    for call in calls {
        call.for_each_argument(&mut |argument| {
            if let Argument::Value(number) = argument {
                used.insert(*number);
            }
        });
    }
    used
}

/// The name of what gives a value.
fn member(operation: &Operation) -> &str {
    match operation {
        Operation::Static { name, .. }
        | Operation::Virtual { name, .. }
        | Operation::GetField { name, .. }
        | Operation::GetStatic { name, .. } => name,
        _ => "value",
    }
}
