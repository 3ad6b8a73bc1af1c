//! Edits at the corners: code that never goes on, objects that are half made, jumps within an insertion,
//! handlers that do not rethrow, and class files from before frames.

#[path = "support/edits.rs"]
mod edits;
#[path = "support/rewrite.rs"]
mod rewrite;
mod support;
#[path = "support/workbench.rs"]
mod workbench;

use classfile::{
    AttributeValue, ClassFile, Code, CodeEdit, Condition, EditError, FieldOp, Flags, Instruction, InvokeOp, Operator,
    Overflow, StackOp, ValueType, Wrap,
};
use edits::{edit_all, edit_one, hit, method, on_each_jdk, pc_of};
use workbench::Workbench;

#[test]
fn nothing_can_be_inserted_where_control_never_comes() {
    let jdks = support::jdks();
    let bytes = Workbench::new(&jdks[0]).bytes("Subject");
    let mut class = ClassFile::parse(&bytes).unwrap();
    let hit = hit(&mut class);
    let refused =
        |result: Result<(), EditError>| assert!(matches!(result, Err(EditError::Unreachable(_))), "{result:?}");
    let is_return = |i: &Instruction| matches!(i, Instruction::Return(_));
    refused(edit_one(&mut class, "choose", |code, edit| {
        edit.insert_after(pc_of(code, is_return), std::slice::from_ref(&hit))
    }));
    let is_goto = |i: &Instruction| matches!(i, Instruction::Goto(_));
    refused(edit_one(&mut class, "loops", |code, edit| {
        edit.insert_after(pc_of(code, is_goto), std::slice::from_ref(&hit))
    }));
    let ends = [Instruction::Int(1), Instruction::Return(Some(ValueType::Int)), hit];
    refused(edit_one(&mut class, "choose", |_, edit| edit.insert_before(0, &ends)));
}

#[test]
fn an_insertion_may_end_the_method() {
    on_each_jdk(|bench| {
        bench.edit("Subject", |class| {
            let ends = [Instruction::Int(8), Instruction::Return(Some(ValueType::Int))];
            edit_one(class, "choose", |_, edit| edit.insert_before(0, &ends)).unwrap();
        });
        assert!(bench.run("Subject", &[]).contains("\n788\n"));
    });
}

#[test]
fn an_object_that_is_half_made_keeps_its_place_in_frames() {
    on_each_jdk(|bench| {
        let plain = bench.run("Subject", &[]);
        for class in ["Subject", "Subject$Derived"] {
            bench.edit(class, |class| {
                let hit = hit(class);
                edit_all(class, |code, edit| {
                    for placed in code.instructions() {
                        if matches!(placed.instruction, Instruction::New(_)) {
                            edit.insert_before(placed.pc, std::slice::from_ref(&hit));
                            edit.replace(placed.pc, &[hit.clone(), placed.instruction.clone()]);
                        }
                    }
                });
            });
        }
        assert_eq!(bench.run("Subject", &[]), plain);
        // Without the object, the frames that name it have no meaning.
        bench.edit("Subject", |class| {
            let lost = edit_one(class, "loops", |code, edit| {
                edit.replace(pc_of(code, |i| matches!(i, Instruction::New(_))), &[Instruction::Null]);
            });
            assert_eq!(lost, Err(EditError::NotTypable));
        });
    });
}

#[test]
fn inserted_objects_are_told_apart() {
    on_each_jdk(|bench| {
        let plain = bench.run("Subject", &[]);
        bench.edit("Subject", |class| {
            let enter = nested_objects(class);
            edit_one(class, "loops", |_, edit| edit.wrap(Wrap { enter, ..Wrap::default() })).unwrap();
        });
        assert_eq!(bench.run("Subject", &[]), plain);
    });
}

/// `new StringBuilder(new String())`, and drops it.
fn nested_objects(class: &mut ClassFile<'_>) -> Vec<Instruction> {
    let pool = &mut class.constants;
    let (outer, inner) = ("java/lang/StringBuilder", "java/lang/String");
    let (outer_class, inner_class) = (pool.add_class(outer).unwrap(), pool.add_class(inner).unwrap());
    let outer_init = pool.add_method(outer, "<init>", "(Ljava/lang/String;)V").unwrap();
    let inner_init = pool.add_method(inner, "<init>", "()V").unwrap();
    let dup = Instruction::Stack(StackOp::Dup);
    vec![
        Instruction::New(outer_class),
        dup.clone(),
        Instruction::New(inner_class),
        dup,
        Instruction::Invoke(InvokeOp::Special, inner_init),
        Instruction::Invoke(InvokeOp::Special, outer_init),
        Instruction::Stack(StackOp::Pop),
    ]
}

#[test]
fn an_insertion_can_jump_over_the_rest_of_itself() {
    on_each_jdk(|bench| {
        let plain = bench.run("Subject", &[]);
        for class in ["Subject", "Subject$Derived"] {
            bench.edit(class, |class| {
                let hit = hit(class);
                let hits = class.constants.add_field("Probe", "hits", "I").unwrap();
                edit_all(class, |code, edit| {
                    for placed in code.instructions() {
                        // Nothing was hit yet, so nothing is ever.
                        let skip = Instruction::If(Condition::Eq, placed.pc);
                        edit.insert_before(
                            placed.pc,
                            &[Instruction::Field(FieldOp::GetStatic, hits), skip, hit.clone()],
                        );
                    }
                });
            });
        }
        assert_eq!(bench.run("Subject", &["hits"]), format!("{plain}hits 0\n"));
    });
}

#[test]
fn what_is_jumped_over_before_a_return_is_not_the_leaving() {
    on_each_jdk(|bench| {
        bench.edit("Subject", |class| {
            let hit = hit(class);
            let hits = class.constants.add_field("Probe", "hits", "I").unwrap();
            let leave = class.constants.add_method("Probe", "leave", "(Ljava/lang/Object;)V").unwrap();
            edit_one(class, "add", |code, edit| {
                let returns = pc_of(code, |i| matches!(i, Instruction::Return(_)));
                let skip = Instruction::If(Condition::Eq, returns);
                edit.insert_before(returns, &[Instruction::Field(FieldOp::GetStatic, hits), skip, hit]);
                let leave = vec![Instruction::Null, Instruction::Invoke(InvokeOp::Static, leave)];
                edit.wrap(Wrap { leave, ..Wrap::default() });
            })
            .unwrap();
        });
        assert!(bench.run("Subject", &["hits", "log"]).ends_with("hits 0\nlog leave \n"));
    });
}

#[test]
fn a_handler_may_catch_one_class_and_return() {
    on_each_jdk(|bench| {
        bench.edit("Subject", |class| {
            let catches = Some(class.constants.add_class("java/lang/ArithmeticException").unwrap());
            edit_one(class, "add", |code, edit| {
                let add = pc_of(code, |i| *i == Instruction::Operate(Operator::Iadd));
                let divide =
                    [Instruction::Stack(StackOp::Pop), Instruction::Int(0), Instruction::Operate(Operator::Idiv)];
                edit.replace(add, &divide);
                let pop = Instruction::Stack(StackOp::Pop);
                let catch = vec![pop, Instruction::Int(9), Instruction::Return(Some(ValueType::Int))];
                edit.wrap(Wrap { catch, catches, ..Wrap::default() });
            })
            .unwrap();
        });
        assert!(bench.run("Subject", &[]).contains("\n956\n"));
    });
}

#[test]
fn too_much_stack_is_refused() {
    let jdks = support::jdks();
    let bytes = Workbench::new(&jdks[0]).bytes("Subject");
    let mut class = ClassFile::parse(&bytes).unwrap();
    let result = edit_one(&mut class, "choose", |_, edit| edit.insert_before(0, &vec![Instruction::Long(0); 32_800]));
    assert_eq!(result, Err(EditError::Overflow(Overflow("stack slots"))));
}

#[test]
fn classes_from_before_frames_and_class_literals_are_edited_too() {
    on_each_jdk(|bench| {
        bench.compile_for("8");
        let plain = bench.run("Subject", &[]);
        for class in ["Subject", "Subject$Derived", "Subject$Base"] {
            bench.edit(class, |class| {
                // Java 1.4: the verifier infers types.
                class.major_version = 48;
                for code in class.methods.iter_mut().filter_map(|method| method.code_mut()) {
                    code.attributes.retain(|a| !matches!(a.value, AttributeValue::StackMapTable(_)));
                }
                assert_eq!(rewrite::rewrite_for(class, "Hook").left, []);
            });
        }
        bench.put("Hook", &rewrite::hook_class("Hook"));
        assert_eq!(bench.run("Subject", &[]), plain);
        let bytes = bench.bytes("Subject");
        let class = ClassFile::parse(&bytes).unwrap();
        assert!(!class.methods[method(&class, "lockedStatic")].flags.has(Flags::SYNCHRONIZED));
    });
}

/// An edit may be empty, and changes nothing then.
#[test]
fn an_empty_edit_changes_nothing() {
    let jdks = support::jdks();
    let bytes = Workbench::new(&jdks[0]).bytes("Subject");
    let mut class = ClassFile::parse(&bytes).unwrap();
    edit_all(&mut class, |_: &Code<'_>, _: &mut CodeEdit| {});
    assert!(class.write().unwrap() == bytes);
}
