//! Reads, edits and writes Java class files.

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
