//! Makes one new object, in one way.

use classfile::{ClassType, TypeArgument, TypeParameter, TypeSignature};
use testcase::{Argument, Behaviour, Call, Implementation, Operation};

use crate::class_info::{ClassInfo, MethodInfo};
use crate::draft::{Draft, Place};
use crate::learnt::{Choice, Name};
use crate::maker::{Arguments, DEEPEST, Maker, Wish};
use crate::producers::{Producer, Way};
use crate::types::{self, Bindings};

/// What a method of such a type may do, where choices are learnt.
const GIVEN: &str = "given";
const NOTHING: &str = "nothing";
/// So many methods of a type that is implemented give out an object that was made for it, on average.
const MOST_RESULTS: f64 = 3.0;
/// So often an object is looked for that a method gives out.
const TRIES: usize = 4;
/// What weighs less went wrong about six times as often as well.
const MOSTLY_WRONG: f64 = 0.3;
/// Functions give null in one of so many tests that have any.
const NULLS: usize = 6;
/// No method of another type always gives something out, before anything is learnt.
const LIKELIEST: f64 = 0.8;

impl Maker<'_> {
    /// Adds the calls that make an object, and says which gives it. The object will be of the wanted type, whatever the
    /// declared type of what gives it.
    pub fn produce(&mut self, draft: &mut Draft, producer: &Producer, wanted: &TypeSignature, depth: usize) -> usize {
        let class = producer.way.class().clone();
        let name = class.name.clone();
        match &producer.way {
            Way::Construct { constructor, .. } => {
                let bindings = self.bindings_of(&class, wanted);
                let arguments = self.arguments(draft, &name, constructor, &bindings, depth + 1, None);
                let operation =
                    Operation::Construct { class: name.clone(), descriptor: constructor.descriptor.clone() };
                let gives = generic(&class, &bindings);
                let number = self.push(draft, operation, arguments, Some(gives));
                self.fill(draft, number, &name, wanted, depth);
                number
            }
            Way::Static { method, .. } => {
                let bindings = self.bindings_of_result(method, wanted);
                let arguments = self.arguments(draft, &name, method, &bindings, depth + 1, None);
                let operation =
                    Operation::Static { class: name, name: method.name.clone(), descriptor: method.descriptor.clone() };
                let gives = self.result(method, wanted, &bindings);
                self.push(draft, operation, arguments, Some(gives))
            }
            Way::Virtual { method, inside, .. } => {
                let owner = types::class(&name);
                let place = Name::of((&name, &method.name, &method.descriptor, "receiver"));
                let lender = draft.receiver.filter(|_| depth == 0 && self.lends(producer));
                let rather = lender.or_else(|| self.giving_subject(draft, &owner));
                let (mut receiver, choice) = self.value(
                    draft,
                    Wish { wanted: &owner, place, depth: depth + 1, rather, of: None, is_receiver: true, asked: None },
                );
                let mut choices = vec![choice];
                if rather.is_none()
                    && let Argument::Value(number) = receiver
                {
                    let (ready, choice) = self.prepare(draft, number, &class, depth);
                    receiver = Argument::Value(ready);
                    choices.push(choice);
                }
                let bindings = self.bindings_of_result(method, wanted);
                let mut arguments = self.arguments(draft, &name, method, &bindings, depth + 1, None);
                arguments.choices.append(&mut choices);
                let operation = Operation::Virtual {
                    class: name,
                    name: method.name.clone(),
                    descriptor: method.descriptor.clone(),
                    receiver,
                };
                let gives = self.result(method, wanted, &bindings);
                let is_handle = rather.is_some() && (inside.is_some() || self.is_handle(&gives));
                let mut number = self.push(draft, operation, arguments, Some(gives));
                if let Some(wrapper) = inside {
                    let operation = Operation::Virtual {
                        class: wrapper.class.into(),
                        name: wrapper.name.into(),
                        descriptor: wrapper.descriptor.into(),
                        receiver: Argument::Value(number),
                    };
                    let call = Call { operation, arguments: wrapper.argument.iter().cloned().collect() };
                    number = draft.push(call, Some(wanted.clone()));
                }
                if is_handle {
                    draft.handles.insert(number);
                }
                draft.lent.extend(lender.map(|subject| (number, subject)));
                // The subject keeps a hold of it, as of a node of a tree: whoever has the subject may come by it, too.
                let is_kept = self.publishers.contains(&Name::of((&method.name, &method.descriptor)));
                if rather.is_some() && lender.is_none() && is_kept {
                    draft.shared.insert(number);
                }
                number
            }
            Way::Constant { field, .. } => {
                let operation = Operation::GetStatic {
                    class: name,
                    name: field.name.clone(),
                    descriptor: field.descriptor.clone(),
                };
                let gives = TypeSignature::parse(&field.descriptor).unwrap_or_else(|_| wanted.clone());
                let number = self.push(draft, operation, Arguments::default(), Some(gives));
                if class.is_enum() {
                    draft.constants.insert(number);
                }
                number
            }
            Way::Implement { constructor, .. } => {
                let bindings = self.bindings_of(&class, wanted);
                let arguments = match constructor {
                    Some(constructor) => self.arguments(draft, &name, constructor, &bindings, depth + 1, None),
                    None => Arguments::default(),
                };
                let (methods, choices) = self.behaviours(draft, &name, &bindings, depth);
                let descriptor = constructor.as_ref().map_or("()V".into(), |c| c.descriptor.clone());
                let remembers = !self.library.is_stateless(&name);
                let operation = Operation::Implement { class: name, descriptor, methods };
                let number = self.push(draft, operation, arguments, Some(generic(&class, &bindings)));
                if remembers {
                    draft.remembering.insert(number);
                }
                draft.choices.extend(choices.into_iter().map(|choice| (Place::Implemented(number), choice)));
                number
            }
        }
    }

    /// What the declared result of a method is, or the wanted type where that is nearer to the truth.
    fn result(&self, method: &MethodInfo, wanted: &TypeSignature, bindings: &Bindings) -> TypeSignature {
        match &method.returns {
            Some(returns) => types::substitute(returns, bindings),
            None => wanted.clone(),
        }
    }

    /// What the variables of a class stand for, if its object is to be of the wanted type.
    pub fn bindings_of(&mut self, class: &ClassInfo, wanted: &TypeSignature) -> Bindings {
        let mut bindings = Bindings::new();
        if let TypeSignature::Class(of) = wanted {
            let name = types::class_name(of);
            let above = self.library.open_bindings(&class.name, &name);
            let info = self.library.class(&name);
            let parameters = info.iter().flat_map(|info| &info.type_parameters);
            for (parameter, argument) in parameters.zip(types::arguments(of)) {
                if let Some(TypeSignature::Variable(variable)) = above.get(&parameter.name) {
                    bindings.insert(variable.clone(), types::standing(argument, &Bindings::new()));
                }
            }
        }
        self.complete(&class.type_parameters, bindings)
    }

    /// What the variables of a method stand for, if what it gives is to be of the wanted type.
    fn bindings_of_result(&mut self, method: &MethodInfo, wanted: &TypeSignature) -> Bindings {
        let mut bindings = Bindings::new();
        if let (Some(TypeSignature::Class(gives)), TypeSignature::Class(of)) = (&method.returns, wanted) {
            for (gives, argument) in types::arguments(gives).iter().zip(types::arguments(of)) {
                if let TypeArgument::Exact(TypeSignature::Variable(variable)) = gives {
                    bindings.insert(variable.clone(), types::standing(argument, &Bindings::new()));
                }
            }
        }
        self.complete(&method.type_parameters, bindings)
    }

    /// With something for every variable that is still open.
    pub fn complete(&mut self, parameters: &[TypeParameter], mut bindings: Bindings) -> Bindings {
        for parameter in parameters {
            if !bindings.contains_key(&parameter.name) {
                let standing = self.standing_for(&types::bound(parameter), &bindings);
                bindings.insert(parameter.name.clone(), standing);
            }
        }
        bindings
    }

    /// What the methods do that a type leaves open, and which of them give something out.
    fn behaviours(
        &mut self,
        draft: &mut Draft,
        class: &str,
        bindings: &Bindings,
        depth: usize,
    ) -> (Vec<Implementation>, Vec<Choice>) {
        let (mut methods, mut choices) = (Vec::new(), Vec::new());
        let open = self.library.abstract_methods(class);
        // Only these can be missed by whoever calls them.
        let count = open.iter().filter(|(_, method)| gives_object(method)).count();
        let left_open = open.len();
        for open in open.iter() {
            let (owner, method) = open;
            let bindings = self.library.bindings_above(class, bindings, owner);
            let own = self.call_back(draft, open, &bindings);
            if let Some((does, choice)) = own.or_else(|| self.fail(open, left_open)) {
                let (name, descriptor) = (method.name.clone(), method.descriptor.clone());
                methods.push(Implementation { name, descriptor, does });
                choices.push(choice);
                continue;
            }
            if let Some(does) = self.run_given(open, left_open, &bindings) {
                let (name, descriptor) = (method.name.clone(), method.descriptor.clone());
                if method.returns.is_none() || does != Behaviour::Nothing {
                    methods.push(Implementation { name, descriptor, does });
                    continue;
                }
            }
            let Some(returns) = &method.returns else { continue };
            let returns = types::substitute(returns, &bindings);
            let does = match &returns {
                // What answers true for ever may be asked for ever.
                TypeSignature::Primitive('Z') => match self.rng.below(3) {
                    0 => continue,
                    1 => Behaviour::Return(Argument::Boolean(true)),
                    _ => Behaviour::InTurn(vec![
                        Behaviour::Return(Argument::Boolean(true)),
                        Behaviour::Return(Argument::Boolean(false)),
                    ]),
                },
                TypeSignature::Primitive(letter) => Behaviour::Return(self.literals.primitive(*letter, &mut self.rng)),
                returns => match self.passed_on(method, returns, &bindings) {
                    Some(parameter) if self.rng.one_in(2) => Behaviour::Return(Argument::Parameter(parameter)),
                    _ if depth >= DEEPEST => continue,
                    _ => {
                        let place = Name::of((owner, &method.name, &method.descriptor, "result"));
                        if self.gives_null(draft, place, count) {
                            choices.push(result(place, false));
                            let (name, descriptor) = (method.name.clone(), method.descriptor.clone());
                            let does = Behaviour::Return(Argument::Null);
                            methods.push(Implementation { name, descriptor, does });
                            continue;
                        }
                        let gives = self.gives_something(place, count);
                        let does = gives.then(|| self.something(draft, returns, place, depth)).flatten();
                        choices.push(result(place, does.is_some()));
                        match does {
                            Some(does) => does,
                            None => continue,
                        }
                    }
                },
            };
            let (name, descriptor) = (method.name.clone(), method.descriptor.clone());
            methods.push(Implementation { name, descriptor, does });
        }
        (methods, choices)
    }

    /// What a method does that gives an object out; None if none comes to mind.
    fn something(
        &mut self,
        draft: &mut Draft,
        returns: &TypeSignature,
        place: Name,
        depth: usize,
    ) -> Option<Behaviour> {
        for _ in 0..TRIES {
            let before = draft.clone();
            let wish = Wish {
                wanted: returns,
                place,
                depth: depth + 1,
                rather: None,
                of: None,
                is_receiver: false,
                asked: None,
            };
            let value = self.value(draft, wish).0;
            let does = given_out(draft, value).filter(|does| *does != Behaviour::Return(Argument::Null));
            if does.is_some() {
                return does;
            }
            // What was made for it is of no use to others.
            *draft = before;
        }
        None
    }

    /// Whether a function gives null, which to many classes means that there is nothing, or that something failed. In one
    /// test all functions do or none, because what that leads to may need several. A test says so in what they
    /// return, and a `NullPointerException` in it is nobody's fault.
    fn gives_null(&mut self, draft: &mut Draft, place: Name, count: usize) -> bool {
        if count as f64 > MOST_RESULTS {
            return false;
        }
        let here = self.learnt.at(place).weight(Name::of(NOTHING));
        let all = *draft.gives_null.get_or_insert_with(|| self.rng.one_in(NULLS));
        all && here > MOSTLY_WRONG
    }

    /// Whether one of so many methods gives something out. A function does: whoever calls it wants its result, and
    /// what null leads to is the fault of the function. Only where that mostly goes wrong it may give nothing. Of a
    /// type with many methods few are called, and all that is made for the others can fail; those that are missed
    /// are learnt.
    fn gives_something(&mut self, place: Name, count: usize) -> bool {
        let likely = (MOST_RESULTS / count as f64).min(LIKELIEST);
        // What goes wrong counts for more than elsewhere, for of many methods one is to blame; what goes well for nothing, or the one that
        // was tried first would be the only one.
        let here = self.learnt.at(place);
        if count as f64 <= MOST_RESULTS && here.weight(Name::of(GIVEN)) > MOSTLY_WRONG {
            return true;
        }
        let weight = |what: &str, likely: f64| likely * here.weight(Name::of(what)).min(1.0).powi(4);
        let weights = [weight(GIVEN, likely), weight(NOTHING, 1.0 - likely)];
        self.rng.weighted(&weights) == Some(0)
    }

    /// A parameter that can be given back.
    fn passed_on(&self, method: &MethodInfo, returns: &TypeSignature, bindings: &Bindings) -> Option<usize> {
        let fits = |parameter: &TypeSignature| self.library.fits(&types::substitute(parameter, bindings), returns);
        method.parameters.iter().position(|p| !matches!(p, TypeSignature::Primitive(_)) && fits(p))
    }
}

/// Whether a method returns an object.
fn gives_object(method: &MethodInfo) -> bool {
    !matches!(method.returns, None | Some(TypeSignature::Primitive(_)))
}

/// The choice that a method gives something out, or does not.
fn result(place: Name, is_given: bool) -> Choice {
    Choice { place, what: Name::of(if is_given { GIVEN } else { NOTHING }) }
}

/// What a method does that gives a value out. What can change is made anew each time, if that is simple, and not given out else:
/// whoever calls it takes it for its own.
fn given_out(draft: &Draft, value: Argument) -> Option<Behaviour> {
    let Argument::Value(number) = value else { return Some(Behaviour::Return(value)) };
    if draft.is_unchanging(number) {
        return Some(Behaviour::Return(value));
    }
    let call = &draft.prefix[number];
    let is_simple = matches!(call.operation, Operation::Construct { .. })
        && !call.arguments.iter().any(|argument| matches!(argument, Argument::Value(_)));
    is_simple.then(|| Behaviour::Call(Box::new(call.clone())))
}

/// A class with what its variables stand for.
pub fn generic(class: &ClassInfo, bindings: &Bindings) -> TypeSignature {
    let argument = |parameter: &TypeParameter| {
        TypeArgument::Exact(bindings.get(&parameter.name).cloned().unwrap_or_else(|| types::class("java/lang/Object")))
    };
    let arguments = class.type_parameters.iter().map(argument).collect();
    TypeSignature::Class(ClassType { name: class.name.clone(), arguments, inner: Vec::new() })
}
