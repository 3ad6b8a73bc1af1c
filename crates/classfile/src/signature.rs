//! Generic signatures: the types as the source declared them, type parameters and arguments included.
//!
//! `Display` writes them as Java source does; the `to_signature` methods give back the text that was
//! parsed.

use std::fmt::{self, Display, Write};

/// The generic type of a field, a parameter or a local variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeSignature {
    /// A primitive type by its letter: `I`, `Z`, ...
    Primitive(char),
    /// A class or interface.
    Class(ClassType),
    /// A type parameter by its name.
    Variable(String),
    /// An array by its element type.
    Array(Box<TypeSignature>),
}

/// A class with its type arguments. `java.util.Map<K, V>.Entry` is `Map` with one inner class.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ClassType {
    /// With slashes: `java/util/Map`.
    pub name: String,
    /// Its type arguments; empty for a raw or plain class.
    pub arguments: Vec<TypeArgument>,
    /// Inner classes of a generic outer class, each with its own arguments.
    pub inner: Vec<(String, Vec<TypeArgument>)>,
}

/// What stands between angle brackets.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeArgument {
    /// `?`
    Any,
    /// `? extends T`
    Extends(TypeSignature),
    /// `? super T`
    Super(TypeSignature),
    /// `T`
    Exact(TypeSignature),
}

/// A declared type parameter with its bounds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TypeParameter {
    /// Its name.
    pub name: String,
    /// The class that bounds it, if one is told.
    pub class_bound: Option<TypeSignature>,
    /// The interfaces that bound it.
    pub interface_bounds: Vec<TypeSignature>,
}

/// The generic declaration of a class.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub struct ClassSignature {
    pub parameters: Vec<TypeParameter>,
    pub superclass: ClassType,
    pub interfaces: Vec<ClassType>,
}

/// The generic declaration of a method.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub struct MethodSignature {
    pub type_parameters: Vec<TypeParameter>,
    pub parameters: Vec<TypeSignature>,
    /// None for `void`.
    pub returns: Option<TypeSignature>,
    pub throws: Vec<TypeSignature>,
}

/// A text is not a signature; `offset` is where reading it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed generic signature (at character {offset})")]
pub struct SignatureError {
    /// In bytes from the start of the text.
    pub offset: usize,
}

impl TypeSignature {
    /// Parses the signature of a field or variable.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        whole(text, |p| p.type_signature(0))
    }

    /// The text that was parsed.
    pub fn to_signature(&self) -> String {
        text(|out| put_type(self, out))
    }
}

impl ClassSignature {
    /// Parses the signature of a class.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        whole(text, |p| {
            let parameters = p.type_parameters()?;
            let superclass = p.class_type(0)?;
            let mut interfaces = Vec::new();
            while !p.rest.is_empty() {
                interfaces.push(p.class_type(0)?);
            }
            Ok(ClassSignature { parameters, superclass, interfaces })
        })
    }

    /// The text that was parsed.
    pub fn to_signature(&self) -> String {
        text(|out| {
            put_parameters(&self.parameters, out);
            put_class(&self.superclass, out);
            self.interfaces.iter().for_each(|interface| put_class(interface, out));
        })
    }
}

impl MethodSignature {
    /// Parses the signature of a method.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        whole(text, |p| {
            let type_parameters = p.type_parameters()?;
            p.expect('(')?;
            let mut parameters = Vec::new();
            while !p.take(')') {
                parameters.push(p.type_signature(0)?);
            }
            let returns = if p.take('V') { None } else { Some(p.type_signature(0)?) };
            let mut throws = Vec::new();
            while p.take('^') {
                throws.push(p.type_signature(0)?);
            }
            Ok(MethodSignature { type_parameters, parameters, returns, throws })
        })
    }

    /// The text that was parsed.
    pub fn to_signature(&self) -> String {
        text(|out| {
            put_parameters(&self.type_parameters, out);
            out.push('(');
            self.parameters.iter().for_each(|parameter| put_type(parameter, out));
            out.push(')');
            match &self.returns {
                Some(returns) => put_type(returns, out),
                None => out.push('V'),
            }
            for thrown in &self.throws {
                out.push('^');
                put_type(thrown, out);
            }
        })
    }
}

/// Type arguments may nest only this deeply, lest a hostile file exhaust the stack.
const DEEPEST: usize = 128;

struct Parser<'t> {
    rest: &'t str,
}

fn whole<'t, T>(
    text: &'t str,
    parse: impl FnOnce(&mut Parser<'t>) -> Result<T, SignatureError>,
) -> Result<T, SignatureError> {
    let mut parser = Parser { rest: text };
    let here = |parser: &Parser<'_>| SignatureError { offset: text.len() - parser.rest.len() };
    match parse(&mut parser) {
        Ok(parsed) if parser.rest.is_empty() => Ok(parsed),
        _ => Err(here(&parser)),
    }
}

impl<'t> Parser<'t> {
    /// The place is filled in by [`whole`].
    const HERE: SignatureError = SignatureError { offset: 0 };

    fn take(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, c: char) -> Result<(), SignatureError> {
        if self.take(c) { Ok(()) } else { Err(Self::HERE) }
    }

    fn name(&mut self, stop: &[char]) -> Result<&'t str, SignatureError> {
        let end = self.rest.find(stop).filter(|&end| end > 0).ok_or(Self::HERE)?;
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(name)
    }

    fn type_signature(&mut self, depth: usize) -> Result<TypeSignature, SignatureError> {
        if depth > DEEPEST {
            return Err(Self::HERE);
        }
        match self.rest.chars().next().ok_or(Self::HERE)? {
            primitive @ ('B' | 'C' | 'D' | 'F' | 'I' | 'J' | 'S' | 'Z') => {
                self.rest = &self.rest[1..];
                Ok(TypeSignature::Primitive(primitive))
            }
            'L' => Ok(TypeSignature::Class(self.class_type(depth)?)),
            'T' => {
                self.expect('T')?;
                let name = self.name(&[';', '<', '.', '/', ':', '['])?.to_owned();
                self.expect(';')?;
                Ok(TypeSignature::Variable(name))
            }
            '[' => {
                self.expect('[')?;
                Ok(TypeSignature::Array(Box::new(self.type_signature(depth + 1)?)))
            }
            _ => Err(Self::HERE),
        }
    }

    fn class_type(&mut self, depth: usize) -> Result<ClassType, SignatureError> {
        const STOP: [char; 5] = [';', '<', '.', ':', '['];
        self.expect('L')?;
        let name = self.name(&STOP)?.to_owned();
        let arguments = self.type_arguments(depth)?;
        let mut inner = Vec::new();
        while self.take('.') {
            let name = self.name(&STOP)?.to_owned();
            inner.push((name, self.type_arguments(depth)?));
        }
        self.expect(';')?;
        Ok(ClassType { name, arguments, inner })
    }

    fn type_arguments(&mut self, depth: usize) -> Result<Vec<TypeArgument>, SignatureError> {
        let mut arguments = Vec::new();
        if self.take('<') {
            while !self.take('>') {
                arguments.push(if self.take('*') {
                    TypeArgument::Any
                } else if self.take('+') {
                    TypeArgument::Extends(self.type_signature(depth + 1)?)
                } else if self.take('-') {
                    TypeArgument::Super(self.type_signature(depth + 1)?)
                } else {
                    TypeArgument::Exact(self.type_signature(depth + 1)?)
                });
            }
            if arguments.is_empty() {
                return Err(Self::HERE);
            }
        }
        Ok(arguments)
    }

    fn type_parameters(&mut self) -> Result<Vec<TypeParameter>, SignatureError> {
        let mut parameters = Vec::new();
        if self.take('<') {
            while !self.take('>') {
                let name = self.name(&[':', ';', '<', '>'])?.to_owned();
                self.expect(':')?;
                let bounded = self.rest.starts_with(['L', 'T', '[']);
                let class_bound = if bounded { Some(self.type_signature(0)?) } else { None };
                let mut interface_bounds = Vec::new();
                while self.take(':') {
                    interface_bounds.push(self.type_signature(0)?);
                }
                parameters.push(TypeParameter { name, class_bound, interface_bounds });
            }
        }
        Ok(parameters)
    }
}

fn text(put: impl FnOnce(&mut String)) -> String {
    let mut out = String::new();
    put(&mut out);
    out
}

fn put_type(signature: &TypeSignature, out: &mut String) {
    match signature {
        TypeSignature::Primitive(letter) => out.push(*letter),
        TypeSignature::Class(class) => put_class(class, out),
        TypeSignature::Variable(name) => out.extend(["T", name, ";"]),
        TypeSignature::Array(element) => {
            out.push('[');
            put_type(element, out);
        }
    }
}

fn put_class(class: &ClassType, out: &mut String) {
    out.extend(["L", &class.name]);
    put_arguments(&class.arguments, out);
    for (name, arguments) in &class.inner {
        out.extend([".", name]);
        put_arguments(arguments, out);
    }
    out.push(';');
}

fn put_arguments(arguments: &[TypeArgument], out: &mut String) {
    if arguments.is_empty() {
        return;
    }
    out.push('<');
    for argument in arguments {
        match argument {
            TypeArgument::Any => out.push('*'),
            TypeArgument::Extends(bound) => {
                out.push('+');
                put_type(bound, out);
            }
            TypeArgument::Super(bound) => {
                out.push('-');
                put_type(bound, out);
            }
            TypeArgument::Exact(argument) => put_type(argument, out),
        }
    }
    out.push('>');
}

fn put_parameters(parameters: &[TypeParameter], out: &mut String) {
    if parameters.is_empty() {
        return;
    }
    out.push('<');
    for parameter in parameters {
        out.extend([&parameter.name, ":"]);
        if let Some(bound) = &parameter.class_bound {
            put_type(bound, out);
        }
        for bound in &parameter.interface_bounds {
            out.push(':');
            put_type(bound, out);
        }
    }
    out.push('>');
}

impl Display for TypeSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeSignature::Primitive(letter) => f.write_str(match letter {
                'B' => "byte",
                'C' => "char",
                'D' => "double",
                'F' => "float",
                'I' => "int",
                'J' => "long",
                'S' => "short",
                _ => "boolean",
            }),
            TypeSignature::Class(class) => class.fmt(f),
            TypeSignature::Variable(name) => f.write_str(name),
            TypeSignature::Array(element) => write!(f, "{element}[]"),
        }
    }
}

impl Display for ClassType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.replace('/', "."))?;
        list(f, "<", &self.arguments, ">")?;
        for (name, arguments) in &self.inner {
            write!(f, ".{name}")?;
            list(f, "<", arguments, ">")?;
        }
        Ok(())
    }
}

impl Display for TypeArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeArgument::Any => f.write_char('?'),
            TypeArgument::Extends(bound) => write!(f, "? extends {bound}"),
            TypeArgument::Super(bound) => write!(f, "? super {bound}"),
            TypeArgument::Exact(argument) => argument.fmt(f),
        }
    }
}

impl Display for TypeParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let object = |bound: &&TypeSignature| bound.to_string() != "java.lang.Object";
        let bounds = self.class_bound.iter().filter(object).chain(&self.interface_bounds);
        for (i, bound) in bounds.enumerate() {
            write!(f, "{}{bound}", if i == 0 { " extends " } else { " & " })?;
        }
        Ok(())
    }
}

/// Writes a list between brackets, or nothing if it is empty.
pub(crate) fn list(f: &mut fmt::Formatter<'_>, open: &str, items: &[impl Display], close: &str) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if i == 0 { open } else { ", " })?;
    }
    if items.is_empty() { Ok(()) } else { f.write_str(close) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_signature_reads_as_its_source() {
        let text = "<T:Ljava/lang/Object;:Ljava/lang/Comparable<-TT;>;E:Ljava/io/IOException;>\
                    (Ljava/util/Map<TT;+[I>.Entry<*>;[[J)TT;^TE;";
        let m = MethodSignature::parse(text).unwrap();
        assert_eq!(m.type_parameters[0].to_string(), "T extends java.lang.Comparable<? super T>");
        assert_eq!(m.parameters[0].to_string(), "java.util.Map<T, ? extends int[]>.Entry<?>");
        assert_eq!(m.parameters[1].to_string(), "long[][]");
        assert_eq!((m.returns.as_ref().unwrap().to_string(), m.throws[0].to_string()), ("T".into(), "E".into()));
        assert_eq!(m.to_signature(), text);
    }

    #[test]
    fn malformed_signatures_are_refused_where_they_fail() {
        for (text, offset) in
            [("", 0), ("V", 0), ("Ljava/util/List<>;", 17), ("TT", 1), ("[", 1), ("II", 1), ("LA<I", 4)]
        {
            assert_eq!(TypeSignature::parse(text), Err(SignatureError { offset }), "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error_not_a_crash() {
        let deep = format!("{}I{}", "LA<".repeat(100_000), ">;".repeat(100_000));
        assert!(TypeSignature::parse(&deep).is_err());
    }
}
