//! Static initialisers that run while several threads are under control.
//!
//! An initialiser runs whole, in the thread that needs its class first. Which thread that is, and what the others
//! have done by then, depends on the schedule, and a class is initialised once in a virtual machine. So the orders
//! of initialisation are not explored. That matters where an initialiser shares state with other threads, takes
//! locks, or where initialisers need each other. Here is what is known of the last: what the code of each
//! initialiser needs, and which circles there are.
//!
//! What it may miss: initialisers that need each other by way of method handles, reflection, or methods that
//! only subclasses have.

use classfile::{ClassFile, FieldOp, Instruction, InvokeOp};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The code of application classes, as far as it initialises others.
#[derive(Debug, Default)]
pub struct Initialisers {
    classes: HashMap<String, ClassCode>,
    /// Classes that were initialised while several threads were under control, each with the classes that were
    /// under test.
    among_threads: BTreeSet<(Vec<String>, String)>,
}

#[derive(Debug)]
struct ClassCode {
    super_class: Option<String>,
    /// By name and descriptor.
    methods: HashMap<String, MethodCode>,
}

#[derive(Debug, Default)]
struct MethodCode {
    /// Classes that must be initialised before it goes on.
    needs: BTreeSet<String>,
    /// Methods that it calls: class, and name with descriptor.
    calls: BTreeSet<(String, String)>,
}

thread_local! {
    /// The classes whose static initialisers the thread is in, outermost first.
    static UNDER_WAY: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// The current thread begins the static initialiser of a class.
pub fn begin(class: String) {
    UNDER_WAY.with_borrow_mut(|classes| classes.push(class));
}

/// The current thread ends a static initialiser.
pub fn end() {
    UNDER_WAY.with_borrow_mut(Vec::pop);
}

/// Whether the current thread is in a static initialiser of any class, or of that one.
pub fn is_under_way(of: Option<&str>) -> bool {
    UNDER_WAY.with_borrow(|classes| of.map_or(!classes.is_empty(), |of| classes.iter().any(|class| class == of)))
}

const INITIALISER: &str = "<clinit>()V";

impl Initialisers {
    /// Notes the code of a class.
    pub fn add(&mut self, class: &ClassFile<'_>) {
        let text = |index| class.constants.utf8(index).to_string();
        let mut methods = HashMap::new();
        for method in &class.methods {
            let Some(code) = method.code() else { continue };
            let mut known = MethodCode::default();
            for placed in code.instructions() {
                match placed.instruction {
                    Instruction::New(of) => drop(known.needs.insert(class.constants.class_name(of).to_string())),
                    Instruction::Field(FieldOp::GetStatic | FieldOp::PutStatic, field) => {
                        known.needs.insert(class.constants.field(field).class.to_string());
                    }
                    Instruction::Invoke(op, called) => {
                        let called = class.constants.method(called);
                        let name = format!("{}{}", called.name, called.descriptor);
                        if op == InvokeOp::Static {
                            known.needs.insert(called.class.to_string());
                        }
                        known.calls.insert((called.class.to_string(), name));
                    }
                    _ => {}
                }
            }
            methods.insert(format!("{}{}", text(method.name), text(method.descriptor)), known);
        }
        let super_class = class.super_class.map(|index| class.constants.class_name(index).to_string());
        self.classes.insert(class.name().to_string(), ClassCode { super_class, methods });
    }

    /// A class is initialised while several threads are under control.
    pub fn begin_among_threads(&mut self, under_test: &[String], class: &str) {
        self.among_threads.insert((under_test.to_vec(), class.to_owned()));
    }

    /// Classes that were initialised among threads of tests of these classes and need each other, in groups.
    pub fn circles(&self, under_test: &[String]) -> Vec<Vec<String>> {
        let among_threads = self.among_threads.iter().filter(|(of, _)| of == under_test);
        let needs: BTreeMap<&str, BTreeSet<String>> =
            among_threads.map(|(_, class)| (&**class, self.needs_of(class))).collect();
        let mut circles: Vec<Vec<String>> = Vec::new();
        for class in needs.keys() {
            let circle: Vec<String> = needs
                .keys()
                .filter(|other| reaches(&needs, class, other) && reaches(&needs, other, class))
                .map(|other| other.to_string())
                .collect();
            if circle.len() > 1 && !circles.contains(&circle) {
                circles.push(circle);
            }
        }
        circles
    }

    /// The classes that the initialiser of a class needs, by whatever it calls, and those above the class.
    fn needs_of(&self, class: &str) -> BTreeSet<String> {
        let mut needed = BTreeSet::new();
        let mut above = self.classes.get(class).and_then(|code| code.super_class.clone());
        while let Some(super_class) = above {
            above = self.classes.get(&super_class).and_then(|code| code.super_class.clone());
            needed.insert(super_class);
        }
        let (mut calls, mut known) = (vec![(class.to_owned(), INITIALISER.to_owned())], BTreeSet::new());
        while let Some(call) = calls.pop() {
            let Some(code) = self.method(&call).filter(|_| known.insert(call.clone())) else { continue };
            needed.extend(code.needs.iter().cloned());
            calls.extend(code.calls.iter().cloned());
        }
        needed.remove(class);
        needed
    }

    fn method(&self, (class, method): &(String, String)) -> Option<&MethodCode> {
        let mut class = self.classes.get(class)?;
        loop {
            if let Some(code) = class.methods.get(method) {
                return Some(code);
            }
            class = self.classes.get(class.super_class.as_ref()?)?;
        }
    }
}

/// Whether a class needs another, by way of any others.
fn reaches(needs: &BTreeMap<&str, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let next = |class: &str| needs.get(class).into_iter().flatten().map(|class| &**class);
    let (mut left, mut known): (Vec<&str>, BTreeSet<&str>) = (next(from).collect(), BTreeSet::new());
    while let Some(class) = left.pop() {
        if class == to {
            return true;
        }
        if known.insert(class) {
            left.extend(next(class));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(super_class: Option<&str>, needs: &[&str], calls: &[(&str, &str)]) -> ClassCode {
        let code = MethodCode {
            needs: needs.iter().map(|class| class.to_string()).collect(),
            calls: calls.iter().map(|(class, method)| (class.to_string(), method.to_string())).collect(),
        };
        ClassCode { super_class: super_class.map(str::to_owned), methods: [(INITIALISER.to_owned(), code)].into() }
    }

    fn circles(classes: Vec<(&str, ClassCode)>, among_threads: &[&str]) -> Vec<Vec<String>> {
        let classes = classes.into_iter().map(|(name, class)| (name.to_owned(), class)).collect();
        let among_threads = among_threads.iter().map(|class| (vec![], class.to_string())).collect();
        Initialisers { classes, among_threads }.circles(&[])
    }

    #[test]
    fn initialisers_that_need_each_other_are_a_circle_if_threads_can_begin_both() {
        let classes = || vec![("A", class(None, &["B"], &[])), ("B", class(None, &["A"], &[]))];
        assert_eq!(circles(classes(), &["A", "B"]), [["A", "B"]]);
        assert_eq!(circles(classes(), &["B"]), [[""; 0]; 0]);
        let acyclic = vec![("A", class(None, &["B"], &[])), ("B", class(None, &[], &[]))];
        assert_eq!(circles(acyclic, &["A", "B"]), [[""; 0]; 0]);
    }

    #[test]
    fn a_class_needs_those_above_it_and_what_its_initialiser_calls() {
        let below = vec![("Above", class(None, &["Below"], &[])), ("Below", class(Some("Above"), &[], &[]))];
        assert_eq!(circles(below, &["Above", "Below"]), [["Above", "Below"]]);
        let mut helper = class(None, &[], &[]);
        let helps = MethodCode { needs: ["A".to_owned()].into(), calls: BTreeSet::new() };
        helper.methods.insert("help()V".into(), helps);
        let by_call = vec![
            ("A", class(None, &["B"], &[])),
            ("B", class(None, &[], &[("Helper", "help()V")])),
            ("Helper", helper),
        ];
        assert_eq!(circles(by_call, &["A", "B"]), [["A", "B"]]);
    }
}
