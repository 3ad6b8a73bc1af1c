//! Instructions as typed values.
//!
//! Short forms are folded into what they mean: `iload_1`, `iload 1` and `wide iload 1` are all
//! `Load(Int, 1)`. Jump targets are bytecode offsets from the start of the code, as `javap` and line
//! tables count them. Which of several forms an instruction had follows from its length, so
//! [`decode`](crate::decode) and [`encode`](crate::encode) lose nothing.

use crate::constant::{Index, kind};

/// A bytecode offset: the place of an instruction in its method.
pub type Pc = u16;

/// One instruction of the Java virtual machine.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)] // Named as in the specification.
pub enum Instruction {
    Nop,
    Null,
    /// `iconst`, `bipush` and `sipush`.
    Int(i16),
    /// `lconst`: 0 or 1.
    Long(u8),
    /// `fconst`: 0, 1 or 2.
    Float(u8),
    /// `dconst`: 0 or 1.
    Double(u8),
    /// `ldc` and `ldc_w`: a constant of one slot.
    Ldc(Index<kind::Loadable>),
    /// `ldc2_w`: a constant of two slots.
    Ldc2(Index<kind::Loadable>),
    Load(ValueType, u16),
    Store(ValueType, u16),
    Increment {
        slot: u16,
        by: i16,
    },
    ArrayLoad(ArrayType),
    ArrayStore(ArrayType),
    ArrayLength,
    Stack(StackOp),
    /// Arithmetic, logic, conversion and comparison.
    Operate(Operator),
    If(Condition, Pc),
    Goto(Pc),
    /// Call of a subroutine; not in class files since Java 7.
    Jsr(Pc),
    /// Return from a subroutine.
    Ret(u16),
    TableSwitch(Box<TableSwitch>),
    LookupSwitch(Box<LookupSwitch>),
    /// A return; None returns nothing.
    Return(Option<ValueType>),
    Field(FieldOp, Index<kind::FieldRef>),
    Invoke(InvokeOp, Index<kind::MethodRef>),
    InvokeDynamic(Index<kind::InvokeDynamic>),
    New(Index<kind::Class>),
    NewArray(PrimitiveType),
    /// `anewarray`: the class is that of the elements.
    NewReferenceArray(Index<kind::Class>),
    /// `multianewarray`: the class is that of the whole array.
    NewMultiArray {
        class: Index<kind::Class>,
        dimensions: u8,
    },
    CheckCast(Index<kind::Class>),
    InstanceOf(Index<kind::Class>),
    MonitorEnter,
    MonitorExit,
    Throw,
}

/// A dense switch: the targets are for `low`, `low + 1` and so on.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct TableSwitch {
    pub default: Pc,
    pub low: i32,
    pub targets: Vec<Pc>,
}

/// A sparse switch.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct LookupSwitch {
    pub default: Pc,
    /// Keys with their targets, in ascending order of keys.
    pub targets: Vec<(i32, Pc)>,
}

impl Instruction {
    /// Where control may go besides the next instruction, exceptions aside.
    pub fn for_each_target(&self, mut visit: impl FnMut(Pc)) {
        match self {
            Instruction::If(_, target) | Instruction::Goto(target) | Instruction::Jsr(target) => visit(*target),
            Instruction::TableSwitch(switch) => {
                visit(switch.default);
                switch.targets.iter().copied().for_each(visit);
            }
            Instruction::LookupSwitch(switch) => {
                visit(switch.default);
                switch.targets.iter().for_each(|&(_, target)| visit(target));
            }
            _ => {}
        }
    }

    /// Whether control can go on to the next instruction. A subroutine returns there.
    pub fn falls_through(&self) -> bool {
        !matches!(
            self,
            Instruction::Goto(_)
                | Instruction::Ret(_)
                | Instruction::TableSwitch(_)
                | Instruction::LookupSwitch(_)
                | Instruction::Return(_)
                | Instruction::Throw
        )
    }
}

/// Enums of opcodes that differ only in their operation, with number and mnemonic.
macro_rules! opcodes {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $code:literal $mnemonic:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)] // Named as in the specification.
        #[repr(u8)]
        pub enum $name {
            $($variant = $code,)*
        }

        impl $name {
            #[inline]
            pub(crate) fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($code => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// The number in the class file.
            pub fn code(self) -> u8 {
                self as u8
            }

            /// The specification's name.
            pub fn mnemonic(self) -> &'static str {
                match self {
                    $($name::$variant => $mnemonic,)*
                }
            }
        }
    )*};
}

opcodes! {
    /// How a value is loaded, stored and returned. The numbers are relative to `iload` and its like.
    ValueType {
        Int = 0 "i", Long = 1 "l", Float = 2 "f", Double = 3 "d", Reference = 4 "a",
    }

    /// How an array element is loaded and stored; `Byte` serves `boolean` too.
    ArrayType {
        Int = 0 "i", Long = 1 "l", Float = 2 "f", Double = 3 "d", Reference = 4 "a",
        Byte = 5 "b", Char = 6 "c", Short = 7 "s",
    }

    /// The element type of a primitive array.
    PrimitiveType {
        Boolean = 4 "boolean", Char = 5 "char", Float = 6 "float", Double = 7 "double",
        Byte = 8 "byte", Short = 9 "short", Int = 10 "int", Long = 11 "long",
    }

    /// Instructions that only move what is on the stack.
    StackOp {
        Pop = 87 "pop", Pop2 = 88 "pop2", Dup = 89 "dup", DupX1 = 90 "dup_x1", DupX2 = 91 "dup_x2",
        Dup2 = 92 "dup2", Dup2X1 = 93 "dup2_x1", Dup2X2 = 94 "dup2_x2", Swap = 95 "swap",
    }

    /// Arithmetic, logic, conversion and comparison.
    Operator {
        Iadd = 96 "iadd", Ladd = 97 "ladd", Fadd = 98 "fadd", Dadd = 99 "dadd",
        Isub = 100 "isub", Lsub = 101 "lsub", Fsub = 102 "fsub", Dsub = 103 "dsub",
        Imul = 104 "imul", Lmul = 105 "lmul", Fmul = 106 "fmul", Dmul = 107 "dmul",
        Idiv = 108 "idiv", Ldiv = 109 "ldiv", Fdiv = 110 "fdiv", Ddiv = 111 "ddiv",
        Irem = 112 "irem", Lrem = 113 "lrem", Frem = 114 "frem", Drem = 115 "drem",
        Ineg = 116 "ineg", Lneg = 117 "lneg", Fneg = 118 "fneg", Dneg = 119 "dneg",
        Ishl = 120 "ishl", Lshl = 121 "lshl", Ishr = 122 "ishr", Lshr = 123 "lshr",
        Iushr = 124 "iushr", Lushr = 125 "lushr", Iand = 126 "iand", Land = 127 "land",
        Ior = 128 "ior", Lor = 129 "lor", Ixor = 130 "ixor", Lxor = 131 "lxor",
        I2l = 133 "i2l", I2f = 134 "i2f", I2d = 135 "i2d", L2i = 136 "l2i", L2f = 137 "l2f",
        L2d = 138 "l2d", F2i = 139 "f2i", F2l = 140 "f2l", F2d = 141 "f2d", D2i = 142 "d2i",
        D2l = 143 "d2l", D2f = 144 "d2f", I2b = 145 "i2b", I2c = 146 "i2c", I2s = 147 "i2s",
        Lcmp = 148 "lcmp", Fcmpl = 149 "fcmpl", Fcmpg = 150 "fcmpg", Dcmpl = 151 "dcmpl",
        Dcmpg = 152 "dcmpg",
    }

    /// When a conditional jump jumps.
    Condition {
        Eq = 153 "ifeq", Ne = 154 "ifne", Lt = 155 "iflt", Ge = 156 "ifge", Gt = 157 "ifgt", Le = 158 "ifle",
        IntEq = 159 "if_icmpeq", IntNe = 160 "if_icmpne", IntLt = 161 "if_icmplt", IntGe = 162 "if_icmpge",
        IntGt = 163 "if_icmpgt", IntLe = 164 "if_icmple", SameRef = 165 "if_acmpeq", OtherRef = 166 "if_acmpne",
        Null = 198 "ifnull", NonNull = 199 "ifnonnull",
    }

    /// Field accesses.
    FieldOp {
        GetStatic = 178 "getstatic", PutStatic = 179 "putstatic", Get = 180 "getfield", Put = 181 "putfield",
    }

    /// Calls of named methods.
    InvokeOp {
        Virtual = 182 "invokevirtual", Special = 183 "invokespecial", Static = 184 "invokestatic",
        Interface = 185 "invokeinterface",
    }
}

impl ValueType {
    /// How many slots such a value takes.
    pub fn slots(self) -> u16 {
        if matches!(self, ValueType::Long | ValueType::Double) { 2 } else { 1 }
    }
}

impl Condition {
    /// The condition that jumps exactly when this one does not.
    #[must_use]
    pub fn inverted(self) -> Condition {
        let code = match self.code() {
            null @ 198.. => null ^ 1,
            other => ((other + 1) ^ 1) - 1,
        };
        Condition::from_code(code).expect("internal bug: conditions come in pairs")
    }

    /// How many operands it takes from the stack.
    pub fn operands(self) -> u16 {
        if matches!(self.code(), 159..=166) { 2 } else { 1 }
    }
}

impl FieldOp {
    /// Whether the field belongs to the class and not to an object.
    pub fn is_static(self) -> bool {
        matches!(self, FieldOp::GetStatic | FieldOp::PutStatic)
    }

    /// Whether the field is written.
    pub fn is_put(self) -> bool {
        matches!(self, FieldOp::PutStatic | FieldOp::Put)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_invert_in_pairs() {
        for (a, b) in [
            (Condition::Eq, Condition::Ne),
            (Condition::Lt, Condition::Ge),
            (Condition::Gt, Condition::Le),
            (Condition::IntEq, Condition::IntNe),
            (Condition::IntLt, Condition::IntGe),
            (Condition::IntGt, Condition::IntLe),
            (Condition::SameRef, Condition::OtherRef),
            (Condition::Null, Condition::NonNull),
        ] {
            assert_eq!((a.inverted(), b.inverted()), (b, a));
        }
    }
}
