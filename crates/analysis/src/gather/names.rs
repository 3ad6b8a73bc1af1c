//! What paths are called: in the words of the method whose paths they are.

use classfile::{AttributeValue, Flags};

use super::Gatherer;
use crate::facts::Owner;
use crate::names::Sym;
use crate::path::{PathId, Root};
use crate::program::{ELEMENTS, MethodId, code_of, method_of};

/// The names of a method's parameters; the receiver is not among them.
pub struct Parameters {
    pub is_static: bool,
    /// Whether the receiver is a new object, which is nobody's subject.
    pub is_constructor: bool,
    pub names: Vec<String>,
    pub types: Vec<Sym>,
}

impl Gatherer<'_, '_, '_> {
    pub(super) fn owner(&self, path: PathId, parameters: &Parameters) -> Owner {
        match self.solver.paths.get(path).root {
            Root::Parameter(0) if parameters.is_constructor => Owner::Outside,
            Root::Parameter(0) if !parameters.is_static => Owner::Subject,
            Root::Parameter(_) => Owner::Parameter,
            Root::Static(_) | Root::Class(_) | Root::Text(_) => Owner::Static,
            Root::Outside(_) | Root::Fresh(_) | Root::Anything => Owner::Outside,
        }
    }

    /// The argument that a path starts from, with its type.
    pub(super) fn start(&self, path: PathId, parameters: &Parameters) -> super::Start {
        let Root::Parameter(number) = self.solver.paths.get(path).root else { return None };
        let argument = usize::from(number).checked_sub(usize::from(!parameters.is_static))?;
        let object = self.solver.program.known.object;
        Some((argument, parameters.types.get(argument).copied().unwrap_or(object)))
    }

    pub(super) fn path_text(&self, path: PathId, parameters: &Parameters) -> String {
        let program = &*self.solver.program;
        let path = self.solver.paths.get(path);
        let mut text = match path.root {
            Root::Parameter(0) if parameters.is_constructor => {
                format!("new {}", program.dotted(self.solver.under_test))
            }
            Root::Parameter(0) if !parameters.is_static => "this".to_owned(),
            Root::Parameter(number) => {
                let number = usize::from(number) - usize::from(!parameters.is_static);
                parameters.names.get(number).cloned().unwrap_or_else(|| format!("arg{}", number + 1))
            }
            Root::Static(field) => {
                let info = program.field(field);
                format!("{}.{}", program.dotted(info.owner), program.names.text(info.name))
            }
            Root::Fresh(allocation) => {
                format!("new {}", program.dotted(self.solver.paths.allocation(allocation).class))
            }
            Root::Class(class) => format!("{}.class", program.dotted(class)),
            Root::Text(text) => format!("{:?}", program.names.text(text)),
            Root::Outside(class) => format!("<{}>", program.dotted(class)),
            Root::Anything => "<anything>".to_owned(),
        };
        for &field in path.fields.iter() {
            if field != ELEMENTS {
                text.push('.');
            }
            text.push_str(program.names.text(program.field(field).name));
        }
        if path.tail {
            text.push_str(".*");
        }
        text
    }

    pub(super) fn type_of(&mut self, path: PathId, parameters: &Parameters) -> Sym {
        let path = self.solver.paths.get(path).clone();
        let object = self.solver.program.known.object;
        if path.tail {
            return object;
        }
        let root = match path.root {
            Root::Parameter(0) if !parameters.is_static => self.solver.under_test,
            Root::Parameter(number) => {
                let number = usize::from(number) - usize::from(!parameters.is_static);
                parameters.types.get(number).copied().unwrap_or(object)
            }
            Root::Static(field) => self.solver.program.field(field).type_name.unwrap_or(object),
            Root::Fresh(allocation) => self.solver.paths.allocation(allocation).class,
            Root::Class(_) => self.solver.program.known.class,
            Root::Text(_) => self.solver.program.known.string,
            Root::Outside(class) => class,
            Root::Anything => object,
        };
        path.fields.iter().fold(root, |class, &field| {
            let next = match field {
                ELEMENTS => self.solver.program.element_type(class),
                field => self.solver.program.field(field).type_name,
            };
            next.unwrap_or(object)
        })
    }

    pub(super) fn parameters(&mut self, method: MethodId) -> Parameters {
        let info = self.solver.program.method(method).clone();
        let is_static = info.flags.has(Flags::STATIC);
        let is_constructor = info.name == self.solver.program.known.init;
        let shape = self.solver.program.shape(info.descriptor);
        let object = self.solver.program.known.object;
        let types = shape.parameters.iter().map(|parameter| parameter.type_name.unwrap_or(object)).collect();
        let mut names = Vec::new();
        if let Ok(class) = self.solver.program.class(info.owner) {
            let tables = code_of(&class, &info).map_or(&[][..], |code| &code.attributes);
            let variables: Vec<_> = tables
                .iter()
                .filter_map(|attribute| match &attribute.value {
                    AttributeValue::LocalVariableTable(variables) => Some(variables),
                    _ => None,
                })
                .flatten()
                .collect();
            let given = method_of(&class, &info).attributes.iter().find_map(|attribute| match &attribute.value {
                AttributeValue::MethodParameters(parameters) => Some(parameters),
                _ => None,
            });
            let mut slot = u16::from(!is_static);
            for (number, parameter) in shape.parameters.iter().enumerate() {
                let variable = variables.iter().find(|variable| variable.start == 0 && variable.slot == slot);
                let declared = given.and_then(|given| given.get(number)?.name);
                let name = variable.map(|variable| variable.name).or(declared);
                let text = name.map(|name| class.file.constants.utf8(name).to_str().into_owned());
                names.push(text.unwrap_or_else(|| format!("arg{}", number + 1)));
                slot += parameter.slots;
            }
        }
        Parameters { is_static, is_constructor, names, types }
    }
}
