//! Reads, edits and writes Java class files, up to those of Java 25.
//!
//! Three nouns carry it. A [`ClassFile`] is the whole: flags, members, attributes, and the
//! [`ConstantPool`] that they point into. [`Code`] is the body of a method: [`Instruction`]s as typed
//! values, and the tables that point into them. A [`CodeEdit`] collects changes to a body, which
//! [`ClassFile::edit_method`] then makes all at once, carrying along jumps, handlers, frames and tables.
//!
//! ```
//! use classfile::{ClassFile, CodeBuilder, CodeEdit, Flags, Instruction, InvokeOp};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A class from nothing: one static method that returns.
//! let mut class = ClassFile::new("com/acme/Task", "java/lang/Object", 61)?;
//! let flags = Flags::PUBLIC.with(Flags::STATIC);
//! let mut body = CodeBuilder::new("com/acme/Task", "run", "()V", flags);
//! body.push(Instruction::Return(None), &class.constants)?;
//! let body = body.finish(&mut class.constants)?;
//! class.add_method(flags, "run", "()V", Some(body))?;
//! let bytes = class.write()?;
//!
//! // Read it, and call a hook before each return of each method.
//! let mut class = ClassFile::parse(&bytes)?;
//! let hook = class.constants.add_method("com/acme/Hook", "leave", "()V")?;
//! for method in 0..class.methods.len() {
//!     let Some(code) = class.methods[method].code() else { continue };
//!     let mut edit = CodeEdit::new(code);
//!     for placed in code.instructions() {
//!         if matches!(placed.instruction, Instruction::Return(_)) {
//!             edit.insert_before(placed.pc, &[Instruction::Invoke(InvokeOp::Static, hook)]);
//!         }
//!     }
//!     class.edit_method(method, edit)?;
//! }
//! assert_eq!(class.methods[0].code().unwrap().instructions().count(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! **What holds.** What was read and not changed is written back byte for byte. Reading checks everything
//! that the types promise, so nothing that is read can fail later; bytes that are not a class file give
//! an error with the offset at which reading failed. The crate does no input or output.
//!
//! **Limits.** It does not verify code: wrong code stays wrong. Frames are carried along or, where an edit
//! needs new ones, found by following the types from the frames that are there, so classes since Java 6
//! that came without frames cannot be edited in those ways. Attributes that the specification does not
//! know are kept as bytes, also when they point into code that moved. Files of versions before 45 or after
//! 69 are refused.

#![forbid(unsafe_code)]

mod annotation;
mod attribute;
mod builder;
mod bytes;
mod class;
mod code;
mod constant;
mod constant_pool;
mod decode;
mod descriptor;
mod draft;
mod edit;
mod effect;
mod encode;
mod error;
mod flags;
mod instruction;
mod java_str;
mod layout;
mod module;
mod reframe;
mod relocate;
mod signature;
mod stack_map;
mod stream;
mod type_state;

pub use annotation::{Annotation, ElementValue, LocalRange, TypeAnnotation, TypeTarget};
pub use attribute::{
    Attribute, AttributeValue, BootstrapMethod, InnerClass, LineNumber, LocalVariable, MethodParameter, RecordComponent,
};
pub use builder::{CodeBuilder, Label};
pub use class::{ClassFile, Field, Method, NEWEST_VERSION, OLDEST_VERSION, drop_annotation};
pub use code::{Code, Handler, Instructions, Placed};
pub use constant::{Constant, Index, Kind, kind};
pub use constant_pool::{ConstantPool, MemberRef};
pub use decode::decode;
pub use descriptor::{BaseType, MethodDescriptor, TypeDescriptor};
pub use edit::{CodeEdit, EditError, Wrap};
pub use effect::{Effect, effect};
pub use encode::{Form, encode};
pub use error::{Overflow, ParseError, ParseErrorKind};
pub use flags::{Flags, FlagsOf};
pub use instruction::{
    ArrayType, Condition, FieldOp, Instruction, InvokeOp, LookupSwitch, Operator, Pc, PrimitiveType, StackOp,
    TableSwitch, ValueType,
};
pub use java_str::{JavaStr, encode as encode_modified_utf8};
pub use module::{Exports, Module, Provides, Requires};
pub use signature::{
    ClassSignature, ClassType, MethodSignature, SignatureError, TypeArgument, TypeParameter, TypeSignature,
};
pub use stack_map::{Frame, FrameKind, FullFrame, VerificationType};
