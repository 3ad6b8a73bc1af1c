//! Accesses that name their field by a value: `VarHandle`, `Unsafe`, the atomic field updaters.
//!
//! A static initialiser asks for a handle of a field by class and name and keeps it in a final field. The
//! interpreter follows that value, so an access through it is one of the field.

use crate::body::CallSite;
use crate::interpret::Interpreter;
use crate::names::Sym;
use crate::path::Root;
use crate::program::{ELEMENTS, FieldId};
use crate::state::{State, objects};
use crate::summary::{AccessKind, OpaqueReason, Touch};
use crate::value::{EMPTY, SetId, Value};

/// Whether a class may have methods that [`Interpreter::handle_call`] knows.
pub fn is_handle_class(class: &str) -> bool {
    let packages = ["java/lang/invoke/", "jdk/internal/", "java/util/concurrent/atomic/"];
    class == "java/lang/Class" || class == "sun/misc/Unsafe" || packages.iter().any(|p| class.starts_with(p))
}

/// Whether objects of a class access fields and elements that a call of them does not name.
pub fn is_accessor(class: &str) -> bool {
    let of_fields = class.starts_with("java/util/concurrent/atomic/") && class.ends_with("FieldUpdater");
    of_fields || ["java/lang/invoke/VarHandle", "jdk/internal/misc/Unsafe", "sun/misc/Unsafe"].contains(&class)
}

impl Interpreter<'_, '_, '_> {
    pub fn handle_call(
        &mut self,
        class: &str,
        name: &str,
        call: &CallSite,
        arguments: &[Value],
        state: &mut State,
    ) -> Option<Value> {
        match class {
            "java/lang/invoke/VarHandle" => self.var_handle(name, call, arguments, state),
            "jdk/internal/misc/Unsafe" | "sun/misc/Unsafe" => self.raw(name, call, arguments, state),
            "java/util/concurrent/atomic/AtomicIntegerFieldUpdater"
            | "java/util/concurrent/atomic/AtomicLongFieldUpdater"
            | "java/util/concurrent/atomic/AtomicReferenceFieldUpdater" => match name {
                "newUpdater" => Some(self.find(arguments)),
                _ => self.var_handle(name, call, arguments, state),
            },
            "java/lang/invoke/MethodHandles$Lookup" | "jdk/internal/invoke/MhUtil" => match name {
                "findVarHandle" | "findStaticVarHandle" => Some(self.find(arguments)),
                _ => None,
            },
            "java/lang/invoke/MethodHandles" if name == "arrayElementVarHandle" => Some(Value::Handle(ELEMENTS)),
            "java/lang/Class" if name == "getDeclaredField" => Some(self.find(arguments)),
            _ => None,
        }
    }

    /// The field that a class and a name among the arguments mean; without a class, one of this class.
    fn find(&mut self, arguments: &[Value]) -> Value {
        let mut class = None;
        let mut name = None;
        for &argument in arguments {
            match self.solver.sets.single(objects(argument)).map(|path| self.solver.paths.get(path).root) {
                // The class of the field stands before its name, that of its values after it.
                Some(Root::Class(found)) if name.is_none() => class = class.or(Some(found)),
                Some(Root::Text(found)) => name = name.or(Some(found)),
                _ => {}
            }
        }
        let class = class.unwrap_or(self.solver.program.method(self.key.method).owner);
        let found = name.and_then(|name: Sym| self.solver.program.resolve_field(class, name));
        found.map_or(Value::Plain, Value::Handle)
    }

    fn var_handle(&mut self, name: &str, call: &CallSite, arguments: &[Value], state: &mut State) -> Option<Value> {
        let (kind, ordered) = operation(name)?;
        let result = call.shape.result.1;
        let Some(&Value::Handle(field)) = arguments.first() else {
            self.opaque(OpaqueReason::Dynamic, call.target.class, call.target.name);
            return Some(result.map_or(Value::Plain, |class| Value::Objects(self.outside(class))));
        };
        let is_static = field != ELEMENTS && self.solver.program.field(field).flags.has(classfile::Flags::STATIC);
        if is_static {
            self.touch(state, Touch { base: None, field, kind, ordered });
            return Some(self.root_or_plain(Root::Static(field), result));
        }
        let values = if field == ELEMENTS { 3 } else { 2 };
        let base = objects(*arguments.get(1)?);
        Some(self.access_through(state, base, field, (kind, ordered), arguments.get(values..).unwrap_or(&[]), result))
    }

    fn raw(&mut self, name: &str, call: &CallSite, arguments: &[Value], state: &mut State) -> Option<Value> {
        match name {
            "objectFieldOffset" | "staticFieldOffset" => {
                let known = arguments.iter().find(|argument| matches!(argument, Value::Handle(_)));
                return Some(known.copied().unwrap_or_else(|| self.find(arguments)));
            }
            "arrayBaseOffset" | "arrayIndexScale" => return Some(Value::Plain),
            _ => {}
        }
        let (kind, ordered) = raw_operation(name)?;
        let (Some(&object), Some(&offset)) = (arguments.get(1), arguments.get(2)) else { return None };
        let base = objects(object);
        let result = call.shape.result.1;
        let field = match offset {
            Value::Handle(field) => field,
            _ if self.is_array_set(base) => ELEMENTS,
            _ => {
                self.opaque(OpaqueReason::Dynamic, call.target.class, call.target.name);
                return Some(result.map_or(Value::Plain, |class| Value::Objects(self.outside(class))));
            }
        };
        Some(self.access_through(state, base, field, (kind, ordered), arguments.get(3..).unwrap_or(&[]), result))
    }

    fn access_through(
        &mut self,
        state: &mut State,
        base: SetId,
        field: FieldId,
        (kind, ordered): (AccessKind, bool),
        values: &[Value],
        result: Option<Sym>,
    ) -> Value {
        self.access(state, base, field, kind, ordered);
        if kind.writes() {
            for &value in values {
                self.store(state, base, field, objects(value));
            }
        }
        match result {
            Some(_) => Value::Objects(self.load(base, field)),
            None => Value::Plain,
        }
    }

    fn root_or_plain(&mut self, root: Root, result: Option<Sym>) -> Value {
        if result.is_some() { self.root_value(root) } else { Value::Plain }
    }

    fn is_array_set(&mut self, set: SetId) -> bool {
        set != EMPTY
            && self.solver.sets.get(set).iter().all(|&path| {
                let (class, _) = self.type_of(path);
                self.solver.program.is_array(class)
            })
    }
}

/// What a method of a handle does, and whether it is ordered.
fn operation(name: &str) -> Option<(AccessKind, bool)> {
    let kind = if name.starts_with("compareAnd") || name.starts_with("weakCompareAnd") || name.starts_with("getAnd") {
        AccessKind::Update
    } else if name.starts_with("get") {
        AccessKind::Read
    } else if name.starts_with("set") || name.starts_with("lazySet") {
        AccessKind::Write
    } else if ["incrementAndGet", "decrementAndGet", "addAndGet", "updateAndGet", "accumulateAndGet"].contains(&name) {
        AccessKind::Update
    } else {
        return None;
    };
    Some((kind, !matches!(name, "get" | "set")))
}

/// What a method of `Unsafe` does, and whether it is ordered.
fn raw_operation(name: &str) -> Option<(AccessKind, bool)> {
    let kind = if name.starts_with("compareAnd") || name.starts_with("weakCompareAnd") || name.starts_with("getAnd") {
        AccessKind::Update
    } else if name.starts_with("get") {
        AccessKind::Read
    } else if name.starts_with("put") {
        AccessKind::Write
    } else {
        return None;
    };
    let ordered = ["Volatile", "Acquire", "Release", "Opaque"].iter().any(|mode| name.ends_with(mode));
    Some((kind, ordered || kind == AccessKind::Update))
}
