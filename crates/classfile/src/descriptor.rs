//! Descriptors: the erased types of fields and methods, such as `(I[Ljava/lang/String;)V`.

use crate::java_str::JavaStr;
use std::fmt;

/// A checked field descriptor: one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypeDescriptor<'a>(&'a [u8]);

/// A checked method descriptor: parameter types and a return type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MethodDescriptor<'a>(&'a [u8]);

/// What a type is, for the bytecode: how it is loaded, stored and returned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BaseType {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    /// A class, an interface or an array.
    Reference,
}

impl<'a> TypeDescriptor<'a> {
    /// The descriptor, if it is well formed.
    pub fn new(text: JavaStr<'a>) -> Option<Self> {
        let bytes = text.as_bytes();
        (type_length(bytes) == Some(bytes.len())).then_some(TypeDescriptor(bytes))
    }

    /// The text, such as `[Ljava/lang/String;`.
    pub fn text(self) -> JavaStr<'a> {
        JavaStr::checked(self.0)
    }

    /// What it is for the bytecode.
    pub fn base(self) -> BaseType {
        match self.0[0] {
            b'Z' => BaseType::Boolean,
            b'B' => BaseType::Byte,
            b'C' => BaseType::Char,
            b'S' => BaseType::Short,
            b'I' => BaseType::Int,
            b'J' => BaseType::Long,
            b'F' => BaseType::Float,
            b'D' => BaseType::Double,
            _ => BaseType::Reference,
        }
    }

    /// How many stack or local slots a value takes: 2 for `long` and `double`, else 1.
    pub fn slots(self) -> u16 {
        if matches!(self.0[0], b'J' | b'D') { 2 } else { 1 }
    }

    /// The name of a reference type as a class constant holds it: `java/lang/String`, `[I`. None for
    /// primitive types.
    pub fn class_name(self) -> Option<JavaStr<'a>> {
        match self.0 {
            [b'L', name @ .., b';'] => Some(JavaStr::checked(name)),
            [b'[', ..] => Some(self.text()),
            _ => None,
        }
    }

    /// The type of an array's elements.
    pub fn element(self) -> Option<TypeDescriptor<'a>> {
        match self.0 {
            [b'[', element @ ..] => Some(TypeDescriptor(element)),
            _ => None,
        }
    }
}

impl<'a> MethodDescriptor<'a> {
    /// The descriptor, if it is well formed.
    pub fn new(text: JavaStr<'a>) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut rest = bytes.strip_prefix(b"(")?;
        let mut slots = 0;
        while rest.first() != Some(&b')') {
            let length = type_length(rest)?;
            slots += TypeDescriptor(rest).slots();
            // The specification's bound; it also keeps the count from overflowing.
            if slots > 255 {
                return None;
            }
            rest = &rest[length..];
        }
        let returns = &rest[1..];
        (returns == b"V" || type_length(returns) == Some(returns.len())).then_some(MethodDescriptor(bytes))
    }

    /// The text, such as `(I)V`.
    pub fn text(self) -> JavaStr<'a> {
        JavaStr::checked(self.0)
    }

    /// The parameter types in order, without the receiver.
    pub fn parameters(self) -> impl Iterator<Item = TypeDescriptor<'a>> {
        let mut rest = &self.0[1..];
        std::iter::from_fn(move || {
            let length = type_length(rest)?;
            let (parameter, after) = rest.split_at(length);
            rest = after;
            Some(TypeDescriptor(parameter))
        })
    }

    /// The return type; None for `void`.
    pub fn returns(self) -> Option<TypeDescriptor<'a>> {
        // Names of classes may hold a parenthesis, so the one that closes the parameters is counted out.
        let close = 1 + self.parameters().map(|parameter| parameter.0.len()).sum::<usize>();
        match &self.0[close + 1..] {
            b"V" => None,
            returns => Some(TypeDescriptor(returns)),
        }
    }

    /// How many slots the parameters take, without the receiver.
    pub fn parameter_slots(self) -> u16 {
        self.parameters().map(TypeDescriptor::slots).sum()
    }
}

/// The length of the type at the start of `bytes`.
fn type_length(bytes: &[u8]) -> Option<usize> {
    let dimensions = bytes.iter().take_while(|&&b| b == b'[').count();
    if dimensions > 255 {
        return None;
    }
    match bytes.get(dimensions)? {
        b'Z' | b'B' | b'C' | b'S' | b'I' | b'J' | b'F' | b'D' => Some(dimensions + 1),
        b'L' => {
            let name = &bytes[dimensions + 1..];
            let end = name.iter().position(|&b| matches!(b, b';' | b'.' | b'['))?;
            (end > 0 && name[end] == b';').then_some(dimensions + 1 + end + 1)
        }
        _ => None,
    }
}

impl fmt::Display for TypeDescriptor<'_> {
    /// As Java source writes it: `java.lang.String[]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dimensions = self.0.iter().take_while(|&&b| b == b'[').count();
        let element = TypeDescriptor(&self.0[dimensions..]);
        match element.base() {
            BaseType::Boolean => f.write_str("boolean")?,
            BaseType::Byte => f.write_str("byte")?,
            BaseType::Char => f.write_str("char")?,
            BaseType::Short => f.write_str("short")?,
            BaseType::Int => f.write_str("int")?,
            BaseType::Long => f.write_str("long")?,
            BaseType::Float => f.write_str("float")?,
            BaseType::Double => f.write_str("double")?,
            BaseType::Reference => {
                let name = element.class_name().expect("internal bug: a reference has a name");
                f.write_str(&name.to_str().replace('/', "."))?;
            }
        }
        (0..dimensions).try_for_each(|_| f.write_str("[]"))
    }
}

impl fmt::Display for MethodDescriptor<'_> {
    /// The parameters as Java source writes them: `(int, java.lang.String[])`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (i, parameter) in self.parameters().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            parameter.fmt(f)?;
        }
        f.write_str(")")
    }
}

impl fmt::Debug for TypeDescriptor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl fmt::Debug for MethodDescriptor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(text: &str) -> Option<MethodDescriptor<'_>> {
        MethodDescriptor::new(JavaStr::new(text.as_bytes()).unwrap())
    }

    #[test]
    fn a_method_descriptor_is_taken_apart() {
        let m = method("(I[[JLjava/util/Map$Entry;D)[Ljava/lang/String;").unwrap();
        assert_eq!(m.to_string(), "(int, long[][], java.util.Map$Entry, double)");
        assert_eq!(m.returns().unwrap().to_string(), "java.lang.String[]");
        assert_eq!(m.parameter_slots(), 5);
        assert_eq!(method("()V").unwrap().returns(), None);
        assert_eq!(method("(La);)Lb)(;").unwrap().returns().unwrap().to_string(), "b)(");
    }

    #[test]
    fn malformed_descriptors_are_refused() {
        let too_wide = format!("({})V", "J".repeat(128));
        let too_deep = format!("({}I)V", "[".repeat(256));
        for text in
            ["", "V", "(", "()", "()VV", "(V)V", "(L;)V", "(Ljava.lang.String;)V", "(I)[V", &too_wide, &too_deep]
        {
            assert_eq!(method(text), None, "{text}");
        }
        assert!(method(&format!("({}I)V", "J".repeat(127))).is_some());
    }
}
