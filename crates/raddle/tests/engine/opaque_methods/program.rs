//! The classes of `java.base`, as far as calls and accesses go.

use std::collections::HashMap;

use classfile::{ArrayType, ClassFile, Constant, Flags, Instruction, InvokeOp};
use classpath::{ClassPath, Jdk};
use host::unseen::{self, Elements};

/// A method by class, name and descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id {
    pub class: String,
    pub name: String,
    pub descriptor: String,
}

impl Id {
    /// Class and name.
    pub fn short(&self) -> String {
        format!("{}.{}", self.class, self.name)
    }
}

/// Something that code does, as far as it matters here.
#[derive(Debug)]
pub enum Op {
    /// An access of a field that opaque code is watched for.
    Field {
        class: String,
        name: String,
    },
    Element(ArrayType),
    Monitor,
    Call(InvokeOp, Id),
    /// A method handle is made of a method, which may be called later.
    Refer(Id),
}

#[derive(Debug)]
pub struct Method {
    pub flags: Flags,
    pub ops: Vec<Op>,
}

#[derive(Debug)]
pub struct Class {
    pub flags: Flags,
    pub super_class: Option<String>,
    pub interfaces: Vec<String>,
    /// Names of fields, and whether they are final.
    pub fields: HashMap<String, bool>,
    pub methods: HashMap<(String, String), Method>,
}

/// Upper bound on the methods that a call of an overridable one is followed to.
const MAX_TARGETS: usize = 8;

pub struct Program {
    pub classes: HashMap<String, Class>,
    below: HashMap<String, Vec<String>>,
}

impl Program {
    pub fn read(jdk: &Jdk) -> Program {
        let class_path = ClassPath::of_jdk(jdk).unwrap();
        let mut classes = HashMap::new();
        for name in class_path.classes_in_module("java.base").unwrap() {
            let bytes = class_path.find_exact(name).unwrap().unwrap().bytes;
            let class = ClassFile::parse(&bytes).unwrap();
            classes.insert(class.name().to_string(), read_class(&class));
        }
        let mut below: HashMap<String, Vec<String>> = HashMap::new();
        for (name, class) in &classes {
            for above in class.super_class.iter().chain(&class.interfaces) {
                below.entry(above.clone()).or_default().push(name.clone());
            }
        }
        Program { classes, below }
    }

    pub fn method(&self, id: &Id) -> Option<&Method> {
        self.classes.get(&id.class)?.methods.get(&(id.name.clone(), id.descriptor.clone()))
    }

    /// Whether a class is one or extends it.
    pub fn extends(&self, class: &str, above: &str) -> bool {
        let mut at = Some(class);
        while let Some(class) = at {
            if class == above {
                return true;
            }
            at = self.classes.get(class).and_then(|known| known.super_class.as_deref());
        }
        false
    }

    /// The class that declares a field, and whether it is final.
    pub fn field<'a>(&'a self, class: &'a str, name: &str) -> (&'a str, bool) {
        let mut at = class;
        while let Some(known) = self.classes.get(at) {
            if let Some(is_final) = known.fields.get(name) {
                return (at, *is_final);
            }
            let Some(above) = &known.super_class else { break };
            at = above;
        }
        (class, false)
    }

    /// The methods that a call may run: the one that is declared or, where that has no code,
    /// those of its package that implement it, if they are few.
    pub fn targets(&self, op: InvokeOp, called: &Id) -> Vec<Id> {
        let Some(declared) = self.declared(&called.class, called) else { return vec![] };
        let method = self.method(&declared).expect("just found");
        let class = &self.classes[&declared.class];
        let fixed = Flags(Flags::PRIVATE.0 | Flags::FINAL.0 | Flags::STATIC.0);
        let is_fixed = matches!(op, InvokeOp::Static | InvokeOp::Special)
            || method.flags.0 & fixed.0 != 0
            || class.flags.has(Flags::FINAL)
            || !method.flags.has(Flags::ABSTRACT);
        let mut targets = vec![declared.clone()];
        if !is_fixed {
            let mut overriding = self.overriding(&called.class, called);
            let package = |class: &str| class.rsplit_once('/').map(|(package, _)| package.to_owned());
            overriding.retain(|target| *target != declared && package(&target.class) == package(&declared.class));
            if overriding.len() <= MAX_TARGETS {
                targets.extend(overriding);
            }
        }
        targets
    }

    /// Those methods of the classes below one that stand for a method.
    pub fn overriding(&self, class: &str, method: &Id) -> Vec<Id> {
        let (mut found, mut left) = (vec![], vec![class]);
        while let Some(class) = left.pop() {
            for below in self.below.get(class).into_iter().flatten() {
                left.push(below);
                let id = Id { class: below.clone(), ..method.clone() };
                if !found.contains(&id) && self.method(&id).is_some_and(|own| !own.flags.has(Flags::ABSTRACT)) {
                    found.push(id);
                }
            }
        }
        found
    }

    fn declared(&self, class: &str, called: &Id) -> Option<Id> {
        let id = Id { class: class.to_owned(), ..called.clone() };
        if self.method(&id).is_some() {
            return Some(id);
        }
        let known = self.classes.get(class)?;
        known.super_class.iter().chain(&known.interfaces).find_map(|above| self.declared(above, called))
    }
}

fn read_class(class: &ClassFile<'_>) -> Class {
    let name = |index| class.constants.class_name(index).to_string();
    let text = |index| class.constants.utf8(index).to_string();
    let methods = class.methods.iter().map(|method| {
        let ops = method.code().map_or(vec![], |code| {
            code.instructions().flat_map(|placed| read_ops(class, &placed.instruction)).collect()
        });
        ((text(method.name), text(method.descriptor)), Method { flags: method.flags, ops })
    });
    Class {
        flags: class.flags,
        super_class: class.super_class.map(name),
        interfaces: class.interfaces.iter().map(|index| name(*index)).collect(),
        fields: class.fields.iter().map(|field| (text(field.name), field.flags.has(Flags::FINAL))).collect(),
        methods: methods.collect(),
    }
}

fn read_ops(class: &ClassFile<'_>, instruction: &Instruction) -> Vec<Op> {
    let id = |target: classfile::MemberRef<'_>| Id {
        class: target.class.to_string(),
        name: target.name.to_string(),
        descriptor: target.descriptor.to_string(),
    };
    match *instruction {
        Instruction::Field(_, field) if unseen::is_hooked(class, instruction, Elements::All) => {
            let target = class.constants.field(field);
            vec![Op::Field { class: target.class.to_string(), name: target.name.to_string() }]
        }
        Instruction::ArrayLoad(element) | Instruction::ArrayStore(element) => vec![Op::Element(element)],
        Instruction::MonitorEnter => vec![Op::Monitor],
        Instruction::Invoke(op, called) => vec![Op::Call(op, id(class.constants.method(called)))],
        Instruction::InvokeDynamic(site) => {
            let (bootstrap, ..) = class.constants.call_site(site);
            let arguments = &class.bootstrap_methods()[bootstrap as usize].arguments;
            let handles = arguments.iter().filter_map(|argument| match class.constants.get(argument.raw()) {
                Some(Constant::MethodHandle { reference_kind: 5.., member }) => Some(class.constants.member(member)),
                _ => None,
            });
            handles.map(|member| Op::Refer(id(member))).collect()
        }
        _ => vec![],
    }
}
