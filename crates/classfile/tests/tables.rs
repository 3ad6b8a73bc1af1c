//! Tables that point into code still mean the same instructions after an edit.
//!
//! Where everything went is found by reading the new code, not by asking the editor: what is left of it
//! without the hooks is the old code, instruction by instruction.

mod support;
#[path = "support/workbench.rs"]
mod workbench;

use classfile::{
    Attribute, AttributeValue, ClassFile, Code, CodeEdit, EditError, Instruction, InvokeOp, Pc, TypeTarget,
    VerificationType,
};
use classpath::ClassPath;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[test]
fn tables_of_all_kinds() {
    for jdk in support::jdks() {
        let bench = workbench::Workbench::new(&jdk);
        let entries: usize = ["Subject", "Subject$Derived"].iter().map(|class| check(&bench.bytes(class))).sum();
        println!("JDK {}: {entries} entries", jdk.version);
        assert!(entries > 200);
    }
}

#[test]
fn tables_of_java_base() {
    for jdk in support::jdks() {
        let classes = ClassPath::of_jdk(&jdk).unwrap();
        let entries = AtomicUsize::new(0);
        support::for_each_class(&classes, classes.classes_in_module("java.base").unwrap(), |_, bytes| {
            entries.fetch_add(check(bytes), Relaxed);
        });
        let entries = entries.into_inner();
        println!("JDK {}: {entries} entries", jdk.version);
        assert!(entries > 500_000);
    }
}

/// Puts hooks before every third instruction of a class, and compares all tables. Counts their entries.
fn check(bytes: &[u8]) -> usize {
    let mut class = ClassFile::parse(bytes).unwrap();
    let hook = Instruction::Invoke(InvokeOp::Static, class.constants.add_method("Hook", "hook", "()V").unwrap());
    let mut entries = 0;
    for method in 0..class.methods.len() {
        let Some(old) = class.methods[method].code().cloned() else { continue };
        let mut edit = CodeEdit::new(&old);
        for placed in old.instructions().step_by(3) {
            edit.insert_before(placed.pc, &[hook.clone(), hook.clone()]);
        }
        let result = class.edit_method(method, edit);
        let new = class.methods[method].code().unwrap();
        if let Err(EditError::TooLong(_)) = result {
            assert_eq!(*new, old);
            continue;
        }
        result.unwrap();
        // Jumps may have been widened there, and the old instructions are no longer all the same.
        if new.bytes().len() > i16::MAX as usize {
            continue;
        }
        entries += compare(&old, new, &Moves::find(&old, new, &hook));
    }
    entries
}

/// Where instructions went: for each old offset, where its hooks begin and where it stands itself.
struct Moves(Vec<Option<(Pc, Pc)>>);

impl Moves {
    fn find(old: &Code<'_>, new: &Code<'_>, hook: &Instruction) -> Moves {
        let mut moves = vec![None; old.bytes().len() + 1];
        let mut new_instructions = new.instructions();
        for placed in old.instructions() {
            let mut next = new_instructions.next().unwrap();
            let label = next.pc;
            while next.instruction == *hook && placed.instruction != *hook {
                next = new_instructions.next().unwrap();
            }
            assert_eq!(
                std::mem::discriminant(&next.instruction),
                std::mem::discriminant(&placed.instruction),
                "the old code is still there"
            );
            moves[placed.pc as usize] = Some((label, next.pc));
        }
        assert_eq!(new_instructions.next(), None);
        let end = new.bytes().len() as Pc;
        *moves.last_mut().unwrap() = Some((end, end));
        Moves(moves)
    }

    fn label(&self, pc: Pc) -> Pc {
        self.0[pc as usize].unwrap().0
    }

    fn exact(&self, pc: Pc) -> Pc {
        self.0[pc as usize].unwrap().1
    }
}

fn compare(old: &Code<'_>, new: &Code<'_>, moves: &Moves) -> usize {
    let targets = |code: &Code<'_>| {
        let mut targets = Vec::new();
        code.instructions().for_each(|placed| placed.instruction.for_each_target(|target| targets.push(target)));
        targets
    };
    let mut entries = 0;
    let mut same = |old: &[Pc], new: &[Pc]| {
        assert_eq!(old.iter().map(|&pc| moves.label(pc)).collect::<Vec<_>>(), new);
        entries += new.len();
    };
    same(&targets(old), &targets(new));
    let handlers = |code: &Code<'_>| code.handlers.iter().flat_map(|h| [h.start, h.end, h.handler]).collect::<Vec<_>>();
    same(&handlers(old), &handlers(new));
    let lines = |code: &Code<'_>| code.line_numbers().map(|entry| entry.start).collect::<Vec<_>>();
    same(&lines(old), &lines(new));
    let frames = |code: &Code<'_>| {
        let mut next = 0;
        code.frames().iter().map(|f| (next + f.offset_delta, next = next + f.offset_delta + 1).0).collect::<Vec<_>>()
    };
    same(&frames(old), &frames(new));
    assert_eq!(old.attributes.len(), new.attributes.len());
    for (old, new) in old.attributes.iter().zip(&new.attributes) {
        same(&ranges(old), &ranges(new));
    }

    // These mean an instruction itself, not the hooks before it.
    let exact = |code: &Code<'_>| code.attributes.iter().flat_map(exact_places).collect::<Vec<_>>();
    let moved: Vec<_> = exact(old).into_iter().map(|pc| moves.exact(pc)).collect();
    assert_eq!(moved, exact(new));
    entries + moved.len()
}

/// Starts and ends of the ranges of local variables.
fn ranges(attribute: &Attribute<'_>) -> Vec<Pc> {
    match &attribute.value {
        AttributeValue::LocalVariableTable(variables) | AttributeValue::LocalVariableTypeTable(variables) => {
            variables.iter().flat_map(|v| [v.start, v.start + v.length]).collect()
        }
        AttributeValue::TypeAnnotations { annotations, .. } => annotations
            .iter()
            .filter_map(|annotation| match &annotation.target {
                TypeTarget::LocalVariable(ranges) => Some(ranges),
                _ => None,
            })
            .flatten()
            .flat_map(|range| [range.start, range.start + range.length])
            .collect(),
        _ => Vec::new(),
    }
}

fn exact_places(attribute: &Attribute<'_>) -> Vec<Pc> {
    match &attribute.value {
        AttributeValue::TypeAnnotations { annotations, .. } => annotations
            .iter()
            .filter_map(|annotation| match annotation.target {
                TypeTarget::Offset(pc) | TypeTarget::TypeArgument { offset: pc, .. } => Some(pc),
                _ => None,
            })
            .collect(),
        AttributeValue::StackMapTable(frames) => frames
            .iter()
            .flat_map(|frame| frame.types())
            .filter_map(|t| match t {
                VerificationType::Uninitialized(pc) => Some(*pc),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}
