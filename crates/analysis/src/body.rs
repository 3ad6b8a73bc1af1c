//! The code of a method in the form that the interpreter walks: one step an instruction, names resolved to
//! numbers, jumps to the numbers of steps.

use std::rc::Rc;

use classfile::{
    AttributeValue, Code, Condition, Constant, ConstantPool, Instruction, InvokeOp, MethodDescriptor, StackOp,
    TypeDescriptor, ValueType, effect,
};

use crate::known::is_known_class;
use crate::names::{Names, Sym};
use crate::program::{Class, MethodInfo, Program, code_of};

/// A method's code.
#[derive(Debug)]
pub struct Body {
    pub steps: Vec<Step>,
    /// The offset of each step's instruction.
    pub offsets: Vec<u16>,
    pub handlers: Vec<HandlerRange>,
    pub max_locals: usize,
    pub max_stack: usize,
    /// Which steps something jumps to, or a handler starts at: states are kept there.
    pub leaders: Vec<bool>,
}

/// An entry of the exception table, in steps.
#[derive(Clone, Copy, Debug)]
pub struct HandlerRange {
    pub start: u32,
    pub end: u32,
    pub target: u32,
    /// None catches everything.
    pub catch: Option<Sym>,
}

/// One instruction, as far as the analysis cares.
#[derive(Clone, Debug)]
pub enum Step {
    /// Takes and leaves slots that are no references: arithmetic and the like.
    Plain {
        pops: u16,
        pushes: u16,
    },
    Null,
    Text(Sym),
    ClassConstant(Sym),
    /// A constant object of which only the type is known.
    Constant(Sym),
    Load(u16, u16),
    Store(u16, u16),
    ArrayLoad {
        reference: bool,
        slots: u16,
    },
    ArrayStore {
        reference: bool,
        slots: u16,
    },
    Stack(StackOp),
    If(Condition, u32),
    Goto(u32),
    Switch(Box<[u32]>),
    Return(u16),
    Get {
        field: Ref,
        is_static: bool,
        slots: u16,
    },
    Put {
        field: Ref,
        is_static: bool,
        slots: u16,
    },
    Invoke(Box<CallSite>),
    Dynamic(Box<DynamicSite>),
    New(Sym),
    /// Pops the lengths, pushes an array of that class.
    NewArray(Sym, u16),
    Cast(Sym),
    MonitorEnter,
    MonitorExit,
    Throw,
    /// Subroutines of class files before Java 7, which are not followed.
    Subroutine,
}

/// A member as an instruction names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ref {
    pub class: Sym,
    pub name: Sym,
    pub descriptor: Sym,
}

/// Parameters and result of a call.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The slots of each parameter; the receiver is not among them.
    pub parameters: Box<[Parameter]>,
    /// The slots of the result, and its class if it is a reference.
    pub result: (u16, Option<Sym>),
}

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub slots: u16,
    /// None for primitive types.
    pub type_name: Option<Sym>,
}

/// A call of a named method.
#[derive(Clone, Debug)]
pub struct CallSite {
    pub op: InvokeOp,
    pub target: Ref,
    pub shape: Rc<Shape>,
    /// Whether the class that is named has methods that are known by their names.
    pub is_of_known_class: bool,
}

/// A call that a bootstrap method links.
#[derive(Clone, Debug)]
pub struct DynamicSite {
    pub name: Sym,
    pub shape: Rc<Shape>,
    pub bootstrap: Bootstrap,
}

/// What the bootstrap method makes, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub enum Bootstrap {
    /// An object of a functional interface whose method is this one.
    Lambda {
        kind: u8,
        target: Ref,
    },
    /// A string of the arguments.
    Concatenation,
    Other,
}

impl Shape {
    /// That of a method descriptor, which the class-file toolkit has checked.
    pub fn of(descriptor: Sym, names: &mut Names) -> Shape {
        let text = names.text(descriptor).clone();
        let java = classfile::encode_modified_utf8(&text);
        let parsed = classfile::JavaStr::new(&java).and_then(MethodDescriptor::new);
        let Some(parsed) = parsed else {
            return Shape { parameters: Box::new([]), result: (0, None) };
        };
        let mut of = |d: TypeDescriptor<'_>| Parameter {
            slots: d.slots(),
            type_name: d.class_name().map(|name| names.java(name)),
        };
        let parameters = parsed.parameters().map(&mut of).collect();
        let result = parsed.returns().map(&mut of).map_or((0, None), |p| (p.slots, p.type_name));
        Shape { parameters, result }
    }
}

impl Body {
    /// The code of a method; None if it has none.
    pub fn of(class: &Class<'_>, method: &MethodInfo, program: &mut Program<'_>) -> Option<Body> {
        let code = code_of(class, method)?;
        let constants = &class.file.constants;
        let mut numbers = vec![u32::MAX; code.bytes().len() + 1];
        let mut steps = Vec::new();
        let mut offsets = Vec::new();
        for placed in code.instructions() {
            numbers[placed.pc as usize] = steps.len() as u32;
            offsets.push(placed.pc);
            steps.push(translate(&placed.instruction, class, constants, program));
        }
        numbers[code.bytes().len()] = steps.len() as u32;
        let mut leaders = vec![false; steps.len()];
        leaders[0] = true;
        for step in &mut steps {
            step.for_each_target(|target| {
                *target = numbers[*target as usize];
                leaders[*target as usize] = true;
            });
        }
        let handlers = handlers(code, &numbers, constants, &mut program.names);
        handlers.iter().for_each(|handler| leaders[handler.target as usize] = true);
        let (max_locals, max_stack) = (code.max_locals.into(), code.max_stack.into());
        Some(Body { steps, offsets, handlers, max_locals, max_stack, leaders })
    }
}

impl Step {
    fn for_each_target(&mut self, mut visit: impl FnMut(&mut u32)) {
        match self {
            Step::If(_, target) | Step::Goto(target) => visit(target),
            Step::Switch(targets) => targets.iter_mut().for_each(visit),
            _ => {}
        }
    }
}

fn handlers(code: &Code<'_>, numbers: &[u32], constants: &ConstantPool<'_>, names: &mut Names) -> Vec<HandlerRange> {
    let step = |pc: u16| numbers[pc as usize];
    let handlers = code.handlers.iter().map(|handler| HandlerRange {
        start: step(handler.start),
        end: step(handler.end),
        target: step(handler.handler),
        catch: handler.catch.map(|class| names.java(constants.class_name(class))),
    });
    handlers.collect()
}

fn translate(
    instruction: &Instruction,
    class: &Class<'_>,
    constants: &ConstantPool<'_>,
    program: &mut Program<'_>,
) -> Step {
    let names = &mut program.names;
    match *instruction {
        Instruction::Null => Step::Null,
        Instruction::Ldc(index) => match constants.get(index.raw()) {
            Some(Constant::String(text)) => Step::Text(names.java(constants.utf8(text))),
            Some(Constant::Class(name)) => Step::ClassConstant(names.java(constants.utf8(name))),
            Some(Constant::MethodHandle { .. }) => Step::Constant(names.get("java/lang/invoke/MethodHandle")),
            Some(Constant::MethodType(_)) => Step::Constant(names.get("java/lang/invoke/MethodType")),
            Some(Constant::Dynamic { name_and_type, .. }) => {
                let type_name = TypeDescriptor::new(constants.name_and_type(name_and_type).1);
                match type_name.and_then(|descriptor| descriptor.class_name()) {
                    Some(name) => Step::Constant(names.java(name)),
                    None => Step::Plain { pops: 0, pushes: 1 },
                }
            }
            _ => Step::Plain { pops: 0, pushes: 1 },
        },
        Instruction::Load(kind, slot) => Step::Load(slot, kind.slots()),
        Instruction::Store(kind, slot) => Step::Store(slot, kind.slots()),
        Instruction::ArrayLoad(kind) => {
            let reference = matches!(kind, classfile::ArrayType::Reference);
            Step::ArrayLoad { reference, slots: effect(instruction, constants).pushes }
        }
        Instruction::ArrayStore(kind) => {
            let reference = matches!(kind, classfile::ArrayType::Reference);
            Step::ArrayStore { reference, slots: effect(instruction, constants).pops - 2 }
        }
        Instruction::Stack(op) => Step::Stack(op),
        Instruction::If(condition, target) => Step::If(condition, target.into()),
        Instruction::Goto(target) => Step::Goto(target.into()),
        Instruction::TableSwitch(_) | Instruction::LookupSwitch(_) => {
            let mut targets = Vec::new();
            instruction.for_each_target(|target| targets.push(u32::from(target)));
            Step::Switch(targets.into())
        }
        Instruction::Return(kind) => Step::Return(kind.map_or(0, ValueType::slots)),
        Instruction::Field(op, index) => {
            let member = constants.field(index);
            let field = reference(member, names);
            let slots = TypeDescriptor::new(member.descriptor).map_or(1, TypeDescriptor::slots);
            let is_static = op.is_static();
            if op.is_put() { Step::Put { field, is_static, slots } } else { Step::Get { field, is_static, slots } }
        }
        Instruction::Invoke(op, index) => {
            let target = reference(constants.method(index), names);
            let is_of_known_class = is_known_class(names.text(target.class));
            let shape = program.shape(target.descriptor);
            Step::Invoke(Box::new(CallSite { op, target, shape, is_of_known_class }))
        }
        Instruction::InvokeDynamic(index) => {
            let (bootstrap, name, descriptor) = constants.call_site(index);
            let descriptor = names.java(descriptor);
            let name = names.java(name);
            let bootstrap = bootstrap_of(class, bootstrap, names);
            let shape = program.shape(descriptor);
            Step::Dynamic(Box::new(DynamicSite { name, shape, bootstrap }))
        }
        Instruction::New(index) => Step::New(names.java(constants.class_name(index))),
        Instruction::NewArray(kind) => {
            let array = format!("[{}", primitive(kind));
            Step::NewArray(names.get(&array), 1)
        }
        Instruction::NewReferenceArray(index) => {
            let element = constants.class_name(index).to_str();
            let array = if element.starts_with('[') { format!("[{element}") } else { format!("[L{element};") };
            Step::NewArray(names.get(&array), 1)
        }
        Instruction::NewMultiArray { class, dimensions } => {
            Step::NewArray(names.java(constants.class_name(class)), dimensions.into())
        }
        Instruction::CheckCast(index) => Step::Cast(names.java(constants.class_name(index))),
        Instruction::MonitorEnter => Step::MonitorEnter,
        Instruction::MonitorExit => Step::MonitorExit,
        Instruction::Throw => Step::Throw,
        Instruction::Jsr(_) | Instruction::Ret(_) => Step::Subroutine,
        _ => {
            let effect = effect(instruction, constants);
            Step::Plain { pops: effect.pops, pushes: effect.pushes }
        }
    }
}

fn reference(member: classfile::MemberRef<'_>, names: &mut Names) -> Ref {
    Ref { class: names.java(member.class), name: names.java(member.name), descriptor: names.java(member.descriptor) }
}

fn primitive(kind: classfile::PrimitiveType) -> char {
    use classfile::PrimitiveType;
    match kind {
        PrimitiveType::Boolean => 'Z',
        PrimitiveType::Char => 'C',
        PrimitiveType::Float => 'F',
        PrimitiveType::Double => 'D',
        PrimitiveType::Byte => 'B',
        PrimitiveType::Short => 'S',
        PrimitiveType::Int => 'I',
        PrimitiveType::Long => 'J',
    }
}

/// Reads a bootstrap method: `LambdaMetafactory` names the body of a lambda in its second argument.
fn bootstrap_of(class: &Class<'_>, number: u16, names: &mut Names) -> Bootstrap {
    let constants = &class.file.constants;
    let methods = class.file.attributes.iter().find_map(|attribute| match &attribute.value {
        AttributeValue::BootstrapMethods(methods) => Some(methods),
        _ => None,
    });
    let Some(method) = methods.and_then(|methods| methods.get(usize::from(number))) else { return Bootstrap::Other };
    let Some(Constant::MethodHandle { member, .. }) = constants.get(method.method.raw()) else {
        return Bootstrap::Other;
    };
    match &*constants.member(member).class.to_str() {
        "java/lang/invoke/LambdaMetafactory" => {}
        "java/lang/invoke/StringConcatFactory" => return Bootstrap::Concatenation,
        _ => return Bootstrap::Other,
    }
    let body = method.arguments.get(1).and_then(|index| constants.get(index.raw()));
    let Some(Constant::MethodHandle { reference_kind, member }) = body else { return Bootstrap::Other };
    let member = constants.member(member);
    Bootstrap::Lambda { kind: reference_kind, target: reference(member, names) }
}
