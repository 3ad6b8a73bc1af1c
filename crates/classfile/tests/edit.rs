//! Edited classes do on a real JVM, under full verification, what the edit says.

#[path = "support/edits.rs"]
mod edits;
mod support;
#[path = "support/workbench.rs"]
mod workbench;

use classfile::{
    ClassFile, Code, CodeBuilder, CodeEdit, Condition, EditError, Flags, Instruction, InvokeOp, Operator, StackOp,
    ValueType, VerificationType, Wrap,
};
use edits::{edit_all, edit_one, hit, method, on_each_jdk, pc_of};
use workbench::Workbench;

#[test]
fn insertions_before_and_after_every_instruction_change_nothing_else() {
    on_each_jdk(|bench| {
        let plain = bench.run("Subject", &[]);
        for class in ["Subject", "Subject$Derived", "Subject$Base"] {
            bench.edit(class, |class| {
                let hit = hit(class);
                edit_all(class, |code, edit| {
                    for placed in code.instructions() {
                        edit.insert_before(placed.pc, &[Instruction::Nop, hit.clone()]);
                        if placed.instruction.falls_through() {
                            edit.insert_after(placed.pc, std::slice::from_ref(&hit));
                        }
                    }
                });
            });
        }
        assert_eq!(bench.run("Subject", &[]), plain);
    });
}

#[test]
fn a_jump_runs_what_is_before_its_target_and_not_what_is_after_the_one_before() {
    on_each_jdk(|bench| {
        let count = |fill: &dyn Fn(&Code<'_>, &mut CodeEdit, Instruction)| {
            let bytes = bench.bytes("Subject");
            bench.edit("Subject", |class| {
                let hit = hit(class);
                edit_one(class, "choose", |code, edit| fill(code, edit, hit)).unwrap();
            });
            let out = bench.run("Subject", &["hits"]);
            bench.put("Subject", &bytes);
            out.lines().last().unwrap().to_owned()
        };
        // `choose` runs twice, and jumps to its last load once.
        let negation = |code: &Code<'_>| {
            let negate = pc_of(code, |i| *i == Instruction::Operate(Operator::Ineg));
            code.instructions().take_while(|placed| placed.pc < negate).last().unwrap().pc
        };
        assert_eq!(count(&|code, edit, hit| edit.insert_before(negation(code), &[hit])), "hits 1");
        let first = |code: &Code<'_>| pc_of(code, |i| matches!(i, Instruction::If(..)));
        assert_eq!(count(&|code, edit, hit| edit.insert_before(first(code), &[hit])), "hits 2");
        assert_eq!(count(&|code, edit, hit| edit.insert_after(first(code), &[hit])), "hits 1");
    });
}

#[test]
fn an_instruction_is_replaced() {
    on_each_jdk(|bench| {
        let plain = bench.run("Subject", &[]);
        assert!(plain.contains("\n756\n"), "{plain}");
        bench.edit("Subject", |class| {
            // Subtract instead of adding.
            edit_one(class, "add", |code, edit| {
                let add = pc_of(code, |i| *i == Instruction::Operate(Operator::Iadd));
                edit.replace(add, &[Instruction::Stack(StackOp::Swap), Instruction::Operate(Operator::Isub)]);
            })
            .unwrap();
            // Jump back to the start after negating, though nothing jumped there before; and never negate
            // what is negated already, for what follows the jump is gone.
            edit_one(class, "choose", |code, edit| {
                let negate = pc_of(code, |i| *i == Instruction::Operate(Operator::Ineg));
                let store = Instruction::Store(ValueType::Int, 0);
                edit.replace(negate, &[Instruction::Operate(Operator::Ineg), store, Instruction::Goto(0)]);
            })
            .unwrap();
        });
        assert!(bench.run("Subject", &[]).contains("\n156\n"));
    });
}

#[test]
fn synchronized_methods_keep_their_lock_as_explicit_code() {
    on_each_jdk(|bench| {
        let plain = bench.run("Subject", &[]);
        bench.edit("Subject", |class| {
            for name in ["lockedSelf", "lockedStatic"] {
                let number = method(class, name);
                let flags = class.methods[number].flags;
                let this = class.load_this_class().unwrap().remove(0);
                let lock = if flags.has(Flags::STATIC) { this } else { Instruction::Load(ValueType::Reference, 0) };
                wrap(class, name, lock, &[Instruction::MonitorEnter], &[Instruction::MonitorExit]).unwrap();
                class.methods[number].flags = flags.without(Flags::SYNCHRONIZED);
            }
        });
        assert_eq!(bench.run("Subject", &[]), plain);
    });
}

#[test]
fn a_wrapped_constructor_sees_every_way_out() {
    on_each_jdk(|bench| {
        let plain = bench.run("Subject", &[]);
        bench.edit("Subject$Derived", |class| wrap(class, "<init>", Instruction::Null, &[], &[]).unwrap());
        let out = bench.run("Subject", &["log"]);
        // "" and "" fail before the other constructor returns, which no handler may cover; "bad" fails
        // after it, twice; "a" and "long" end well, the one at the end and the other by a return inside.
        let expected = "enter enter enter leave enter leave enter thrown enter thrown enter leave enter leave";
        assert_eq!(out.trim(), format!("{plain}log {expected}"));
    });
}

/// Wraps a method in calls of the probe, and in `enter` and `leave` on the same lock.
fn wrap(
    class: &mut ClassFile<'_>,
    name: &str,
    lock: Instruction,
    enter: &[Instruction],
    leave: &[Instruction],
) -> Result<(), EditError> {
    let probe = ["enter", "leave", "thrown"].map(|name| {
        let method = class.constants.add_method("Probe", name, "(Ljava/lang/Object;)V").unwrap();
        Instruction::Invoke(InvokeOp::Static, method)
    });
    let object = class.constants.add_class("java/lang/Object").unwrap();
    edit_one(class, name, |_, edit| {
        let slot = edit.add_local(VerificationType::Object(object)).unwrap();
        let load = Instruction::Load(ValueType::Reference, slot);
        let [entered, left, thrown] = probe;
        let on = |instruction: Instruction| [&[load.clone(), instruction][..]].concat();
        let unlock = leave.iter().flat_map(|i| on(i.clone())).collect::<Vec<_>>();
        let lock_it = enter.iter().flat_map(|i| on(i.clone())).collect::<Vec<_>>();
        edit.wrap(Wrap {
            enter: [vec![lock, Instruction::Store(ValueType::Reference, slot)], lock_it, on(entered)].concat(),
            leave: [unlock.clone(), on(left)].concat(),
            catch: [unlock, on(thrown)].concat(),
            catches: None,
        });
    })
}

#[test]
fn a_static_initialiser_can_be_run_again_under_another_name() {
    on_each_jdk(|bench| {
        bench.edit("Subject", |class| {
            let initialiser = method(class, "<clinit>");
            class.copy_method(initialiser, "again", Flags::STATIC).unwrap();
            let field = class.constants.add_field("Subject", "initialized", "I").unwrap();
            let mut spoil = CodeBuilder::new("Subject", "spoil", "()V", Flags::STATIC);
            for instruction in [
                Instruction::Int(-1),
                Instruction::Field(classfile::FieldOp::PutStatic, field),
                Instruction::Return(None),
            ] {
                spoil.push(instruction, &class.constants).unwrap();
            }
            let spoil = spoil.finish(&mut class.constants).unwrap();
            class.add_method(Flags::STATIC, "spoil", "()V", Some(spoil)).unwrap();
            let mut tell = CodeBuilder::new("Subject", "tell", "()I", Flags::STATIC);
            for instruction in
                [Instruction::Field(classfile::FieldOp::GetStatic, field), Instruction::Return(Some(ValueType::Int))]
            {
                tell.push(instruction, &class.constants).unwrap();
            }
            let tell = tell.finish(&mut class.constants).unwrap();
            class.add_method(Flags::STATIC, "tell", "()I", Some(tell)).unwrap();
        });
        let out = bench.run("Subject", &["spoil", "tell", "again", "tell"]);
        assert!(out.ends_with("spoil null\ntell -1\nagain null\ntell 3\n"), "{out}");
    });
}

#[test]
fn jumps_of_over_32_kb_are_widened() {
    on_each_jdk(|bench| {
        bench.add_source("Large", &large_source());
        let plain = bench.run("Large", &[]);
        for (name, wide_jumps) in [("run", 3), ("pick", 1)] {
            bench.edit("Large", |class| {
                let before = class.methods[method(class, name)].code().unwrap().clone();
                edit_one(class, name, |code, edit| {
                    for placed in code.instructions() {
                        edit.insert_before(placed.pc, &[Instruction::Nop, Instruction::Nop, Instruction::Nop]);
                    }
                })
                .unwrap();
                let after = class.methods[method(class, name)].code().unwrap();
                let wide = |code: &Code<'_>| {
                    code.instructions()
                        .filter(|p| matches!(p.instruction, Instruction::Goto(_)) && p.length == 5)
                        .count()
                };
                println!("{name}: {} bytes became {}", before.bytes().len(), after.bytes().len());
                assert_eq!(wide(&before), 0, "the fixture is small enough at first");
                assert!(wide(after) >= wide_jumps, "{} wide jumps", wide(after));
                assert!(after.frames().len() > before.frames().len(), "split jumps need frames");
            });
        }
        assert_eq!(bench.run("Large", &[]), plain);
    });
}

/// Methods of some 10 KB whose jumps go from one end to the other, with every kind of type on the stack
/// and in the locals at the time; in `pick` also an object whose constructor has still to be called.
fn large_source() -> String {
    let statements: String = (0..700).map(|i| format!("x = x * 31 + (int) (y / {}) ^ {i};\n", i + 1)).collect();
    // In groups, because the compiler's stack is as deep as the expression.
    let group: String = (0..50).map(|i| format!(" + n * {i}")).collect();
    let terms = format!(" + (1{group})").repeat(45);
    format!(
        "public class Large {{
            static String run(int n) {{
                int x = n; long y = 3; double d = 0.5; Object o = null; String s = \"\"; int[][] grid = new int[2][3];
                for (int i = 0; i < n; i++) {{
                    String t = new String(i % 2 == 0 ? \"a\" : \"b\");
                    s = s + new StringBuilder(i > 3 ? choose(i, y) : t).append(y).toString();
                    try {{
                        if (i == 2) {{ continue; }}
                        switch (i) {{ case 0: y++; break; case 5: d *= 2; continue; default: o = t; }}
                        if (o == null && n > 0) {{ y += 10; }}
                        if (i == n - 1) {{ throw new IllegalStateException(); }}
                        {statements}
                        grid[i % 2][1] += x;
                    }} catch (IllegalStateException e) {{
                        s += \"!\";
                    }} finally {{
                        y += 2;
                    }}
                }}
                return s + x + y + d + o + grid[0][1] + pick(n, s, 2.5, y);
            }}
            static String pick(int n, String t, double d, long y) {{
                Object[] made = {{ t, new StringBuilder(n > 3 ? choose(n{terms}, y) : t) }};
                return made[1].toString() + d;
            }}
            static String choose(int i, long y) {{ return i + \":\" + y; }}
            public static void main(String[] a) {{ for (int n = 0; n < 9; n++) System.out.println(run(n)); }}
        }}"
    )
}

#[test]
fn a_method_that_would_be_too_long_is_left_as_it_was() {
    on_each_jdk(|bench| {
        bench.edit("Subject", |class| {
            let before = class.methods.clone();
            let nops = vec![Instruction::Nop; 1000];
            let result = edit_one(class, "loops", |code, edit| {
                code.instructions().for_each(|placed| edit.insert_before(placed.pc, &nops));
            });
            assert!(matches!(result, Err(EditError::TooLong(length)) if length > 65_535), "{result:?}");
            assert_eq!(class.methods, before);
        });
    });
}

#[test]
fn edits_at_no_instruction_are_refused() {
    let jdks = support::jdks();
    let bytes = Workbench::new(&jdks[0]).bytes("Subject");
    let mut class = ClassFile::parse(&bytes).unwrap();
    let inside = edit_one(&mut class, "loops", |code, edit| {
        let jump = pc_of(code, |i| matches!(i, Instruction::If(..)));
        edit.insert_before(jump + 1, &[Instruction::Nop]);
    });
    assert!(matches!(inside, Err(EditError::NoInstruction(_))), "{inside:?}");
    let beyond = edit_one(&mut class, "loops", |_, edit| edit.insert_before(60_000, &[Instruction::Nop]));
    assert_eq!(beyond, Err(EditError::NoInstruction(60_000)));
    let target = edit_one(&mut class, "loops", |_, edit| edit.insert_before(0, &[Instruction::Goto(60_000)]));
    assert_eq!(target, Err(EditError::NoInstruction(60_000)));
}

#[test]
fn a_class_is_written_from_nothing() {
    on_each_jdk(|bench| {
        let mut class = ClassFile::new("Made", "java/lang/Object", 61).unwrap();
        class.add_field(Flags::PUBLIC.with(Flags::STATIC), "calls", "I").unwrap();
        let flags = Flags::PUBLIC.with(Flags::STATIC);
        let code = factorial(&mut class, flags);
        class.add_method(flags, "main", "([Ljava/lang/String;)V", Some(code)).unwrap();
        bench.put("Made", &class.write().unwrap());
        assert_eq!(bench.run("Made", &["6"]), "720\n");
        assert_eq!(bench.run("Made", &["no number"]), "-1\n");
        assert_eq!(bench.run("Made", &[]), "-1\n");
    });
}

/// `main` that prints the factorial of its argument, or -1 where there is none.
fn factorial<'a>(class: &mut ClassFile<'a>, flags: Flags) -> Code<'a> {
    let pool = &mut class.constants;
    let calls = pool.add_field("Made", "calls", "I").unwrap();
    let out = pool.add_field("java/lang/System", "out", "Ljava/io/PrintStream;").unwrap();
    let println = pool.add_method("java/io/PrintStream", "println", "(J)V").unwrap();
    let parse = pool.add_method("java/lang/Integer", "parseInt", "(Ljava/lang/String;)I").unwrap();
    let exception = pool.add_class("java/lang/RuntimeException").unwrap();
    let minus_one = pool.add_long(-1).unwrap();

    let mut code = CodeBuilder::new("Made", "main", "([Ljava/lang/String;)V", flags);
    let (start, end, again, done, print) = (code.label(), code.label(), code.label(), code.label(), code.label());
    let push = |code: &mut CodeBuilder, instructions: &[Instruction]| {
        instructions.iter().for_each(|i| code.push(i.clone(), &class.constants).unwrap());
    };
    code.bind(start).unwrap();
    push(
        &mut code,
        &[
            Instruction::Load(ValueType::Reference, 0),
            Instruction::Int(0),
            Instruction::ArrayLoad(classfile::ArrayType::Reference),
            Instruction::Invoke(InvokeOp::Static, parse),
            Instruction::Store(ValueType::Int, 1),
            Instruction::Long(1),
            Instruction::Store(ValueType::Long, 2),
        ],
    );
    code.bind(again).unwrap();
    push(&mut code, &[Instruction::Load(ValueType::Int, 1)]);
    code.jump_if(Condition::Le, done).unwrap();
    push(
        &mut code,
        &[
            Instruction::Load(ValueType::Long, 2),
            Instruction::Load(ValueType::Int, 1),
            Instruction::Operate(Operator::I2l),
            Instruction::Operate(Operator::Lmul),
            Instruction::Store(ValueType::Long, 2),
            Instruction::Increment { slot: 1, by: -1 },
            Instruction::Field(classfile::FieldOp::GetStatic, calls),
            Instruction::Int(1),
            Instruction::Operate(Operator::Iadd),
            Instruction::Field(classfile::FieldOp::PutStatic, calls),
        ],
    );
    code.goto(again).unwrap();
    code.bind(done).unwrap();
    push(&mut code, &[Instruction::Load(ValueType::Long, 2)]);
    code.goto(print).unwrap();
    code.bind_end(end).unwrap();
    code.catch(start, end, Some(exception), &class.constants).unwrap();
    push(&mut code, &[Instruction::Stack(StackOp::Pop), Instruction::Ldc2(minus_one)]);
    code.bind(print).unwrap();
    push(
        &mut code,
        &[
            Instruction::Field(classfile::FieldOp::GetStatic, out),
            Instruction::Stack(StackOp::DupX2),
            Instruction::Stack(StackOp::Pop),
            Instruction::Invoke(InvokeOp::Virtual, println),
            Instruction::Return(None),
        ],
    );
    code.finish(&mut class.constants).unwrap()
}
