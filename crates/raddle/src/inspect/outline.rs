//! What is shown of a class, as data.

use std::collections::BTreeSet;

use anyhow::bail;
use classfile::{Attribute, AttributeValue, ClassFile, ConstantPool, Flags};

use super::head::{self, Fact};
use super::listing::Listing;
use super::lookup::Found;
use super::member;
use super::request::Request;
use super::spelling;

/// A class, or those of its methods that were asked for.
#[derive(Debug)]
pub struct Outline {
    pub declaration: Declaration,
    /// `extends`, `implements` and `permits`, each with its types.
    pub clauses: Vec<Fact>,
    /// Where it comes from, and what belongs to it.
    pub facts: Vec<Fact>,
    /// None are shown when methods were asked for.
    pub fields: Vec<Field>,
    pub methods: Vec<Method>,
    pub figures: Figures,
}

/// A declaration as source has it, in parts that can be set off from each other.
#[derive(Debug)]
pub struct Declaration {
    pub modifiers: Vec<&'static str>,
    /// What stands between modifiers and name: a kind, type parameters, a type.
    pub before: String,
    pub name: String,
    /// Type parameters, parameters, record components.
    pub after: String,
    pub throws: Vec<String>,
}

/// A field.
#[derive(Debug)]
pub struct Field {
    pub declaration: Declaration,
    pub volatile: bool,
    /// The value of a constant, as a literal.
    pub value: Option<String>,
}

/// A method.
#[derive(Debug)]
pub struct Method {
    pub declaration: Declaration,
    pub synchronized: bool,
    pub body: Body,
}

/// What a method does when it is called.
#[derive(Debug)]
pub enum Body {
    Code(CodeFacts),
    Native,
    Abstract,
    /// Neither code nor the flag that explains why: no JVM would load it.
    Missing,
}

/// What is shown of a method's code.
#[derive(Debug)]
pub struct CodeFacts {
    /// All lines that the line-number table names.
    pub lines: BTreeSet<u16>,
    pub bytes: usize,
    pub instructions: usize,
    /// How many of the instructions are `monitorenter`.
    pub monitor_enters: usize,
    /// The instructions themselves, if they were asked for.
    pub listing: Option<Listing>,
}

/// Sums over what is shown.
#[derive(Debug, Default)]
pub struct Figures {
    /// Fields and how many of them are volatile; None if fields are not shown.
    pub fields: Option<(usize, usize)>,
    pub methods: usize,
    /// How many methods there are, if not all of them are shown.
    pub of_methods: Option<usize>,
    pub synchronized: usize,
    pub native: usize,
    pub abstract_: usize,
    pub code_bytes: usize,
    /// Distinct source lines.
    pub lines: usize,
}

impl Outline {
    /// Gathers what was asked for.
    pub fn of(class: &ClassFile<'_>, found: &Found, request: &Request) -> anyhow::Result<Outline> {
        let constructor = head::simple_name(class);
        let wanted = |method: &&classfile::Method<'_>| match &request.method {
            None => true,
            Some(wanted) => {
                let name = class.constants.utf8(method.name);
                name == wanted.as_str() || name == "<init>" && *wanted == constructor
            }
        };
        let methods = class.methods.iter().filter(wanted);
        let methods: Vec<Method> =
            methods.map(|method| member::method(class, method, &constructor, request.code)).collect();
        let fields: Vec<Field> = match request.method {
            None => class.fields.iter().map(|field| member::field(class, field)).collect(),
            Some(_) => Vec::new(),
        };
        if let (Some(wanted), []) = (&request.method, methods.as_slice()) {
            let name = spelling::qualified(class.name());
            bail!("{name} has no method {wanted}: leave --method out to see which it has");
        }
        let mut figures = Figures::of(&fields, &methods);
        if request.method.is_some() {
            figures.fields = None;
            figures.of_methods = Some(class.methods.len());
        }
        Ok(Outline {
            declaration: head::declaration(class),
            clauses: head::clauses(class),
            facts: head::facts(class, found),
            fields,
            methods,
            figures,
        })
    }
}

impl Figures {
    fn of(fields: &[Field], methods: &[Method]) -> Figures {
        let volatile = fields.iter().filter(|field| field.volatile).count();
        let mut figures =
            Figures { fields: Some((fields.len(), volatile)), methods: methods.len(), ..Figures::default() };
        let mut lines = BTreeSet::<u16>::new();
        for method in methods {
            figures.synchronized += usize::from(method.synchronized);
            match &method.body {
                Body::Code(code) => {
                    figures.code_bytes += code.bytes;
                    lines.extend(&code.lines);
                }
                Body::Native => figures.native += 1,
                Body::Abstract => figures.abstract_ += 1,
                Body::Missing => {}
            }
        }
        figures.lines = lines.len();
        figures
    }
}

/// The generic signature of a class, field, method or record component, if it has one.
pub fn signature(attributes: &[Attribute<'_>], constants: &ConstantPool<'_>) -> Option<String> {
    attributes.iter().find_map(|attribute| match attribute.value {
        AttributeValue::Signature(text) => Some(constants.utf8(text).to_str().into_owned()),
        _ => None,
    })
}

/// The names of flags that are modifiers, or are worth knowing though they are none in source.
pub fn modifiers(flags: Flags, of: classfile::FlagsOf) -> Vec<&'static str> {
    // These are told in other ways: by the kind of a class, by `...` after a parameter.
    let told = |name: &&str| !matches!(*name, "interface" | "annotation" | "enum" | "module" | "varargs");
    flags.names(of).filter(told).collect()
}
