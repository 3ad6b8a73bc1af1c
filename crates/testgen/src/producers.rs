//! Ways to come by an object of a type: constructors, factories, constants, and classes that the test writes itself.
//!
//! Looked for in the type itself, in its package and in that of the test; so a stream is found for whoever wants an
//! `InputStream`, and an implementation in the library for its own interfaces. Factories also in the class around the type and in the class
//! under test, which may give out what nobody else can make. Where that gives nothing, in all classes that are not of
//! the JDK, for constructors that need no other object, and for methods of any object that give one out. **What it may miss:** factories
//! elsewhere where there are other ways that never work, and objects that only a long conversation with other objects gives.

use std::collections::BTreeMap;
use std::rc::Rc;

use classfile::{Flags, TypeArgument, TypeSignature};
use testcase::Argument;

use crate::callbacks::CalledBack;
use crate::class_info::{ClassInfo, FieldInfo, MethodInfo, package};
use crate::learnt::Name;
use crate::library::{Library, is_of_jdk};
use crate::types;

/// A way to come by an object.
#[derive(Clone, Debug)]
pub struct Producer {
    pub way: Way,
    /// How likely it is to be tried, before anything is learnt.
    pub weight: f64,
    /// Tells it from others.
    pub key: Name,
}

/// How an object is made.
#[derive(Clone, Debug)]
pub enum Way {
    Construct {
        class: Rc<ClassInfo>,
        constructor: MethodInfo,
    },
    Static {
        class: Rc<ClassInfo>,
        method: MethodInfo,
    },
    /// By a method of another object, maybe inside of what that gives.
    Virtual {
        class: Rc<ClassInfo>,
        method: MethodInfo,
        inside: Option<&'static Wrapper>,
    },
    Constant {
        class: Rc<ClassInfo>,
        field: FieldInfo,
    },
    /// By a class that the test writes; with the constructor of the superclass, if it has one.
    Implement {
        class: Rc<ClassInfo>,
        constructor: Option<MethodInfo>,
    },
}

/// Something that a method gives with the object in it.
#[derive(Debug)]
pub struct Wrapper {
    pub class: &'static str,
    /// The method that takes the object out.
    pub name: &'static str,
    pub descriptor: &'static str,
    /// What that one gets.
    pub argument: Option<Argument>,
}

/// What handles are often wrapped in, where there may be none.
static WRAPPERS: [Wrapper; 5] = [
    Wrapper { class: "java/util/Optional", name: "get", descriptor: "()Ljava/lang/Object;", argument: None },
    Wrapper { class: "java/util/function/Supplier", name: "get", descriptor: "()Ljava/lang/Object;", argument: None },
    Wrapper {
        class: "java/util/concurrent/atomic/AtomicReference",
        name: "get",
        descriptor: "()Ljava/lang/Object;",
        argument: None,
    },
    Wrapper {
        class: "java/util/concurrent/CompletableFuture",
        name: "getNow",
        descriptor: "(Ljava/lang/Object;)Ljava/lang/Object;",
        argument: Some(Argument::Null),
    },
    Wrapper {
        class: "java/util/List",
        name: "get",
        descriptor: "(I)Ljava/lang/Object;",
        argument: Some(Argument::Int(0)),
    },
];

/// Ways to come by objects, found when they are first asked for.
pub struct Producers {
    /// The class under test.
    pub class: String,
    known: BTreeMap<String, Rc<[Producer]>>,
    /// What callbacks may call.
    pub called_back: Vec<CalledBack>,
}

/// Types that say nothing about what is wanted.
const GENERAL: [&str; 4] = ["java/lang/Object", "java/lang/Comparable", "java/io/Serializable", "java/lang/Cloneable"];

/// Methods that leave something behind outside of the virtual machine, which the next execution would meet.
const LASTING: [(&str, &str); 1] = [("java/io/File", "createTempFile")];

/// Objects of these start threads, end the process, load code, hold on to files, or are taken for a fault of the machine
/// when they are thrown; tests do well without.
const UNWANTED: [&str; 13] = [
    "java/io/FileDescriptor",
    "java/io/FileInputStream",
    "java/io/FileOutputStream",
    "java/io/RandomAccessFile",
    "java/lang/Error",
    "java/lang/Thread",
    "java/lang/ThreadGroup",
    "java/lang/ClassLoader",
    "java/lang/Process",
    "java/lang/Runtime",
    "java/util/Timer",
    "java/util/concurrent/ForkJoinPool",
    "java/util/concurrent/ThreadPoolExecutor",
];

impl Producers {
    /// For tests of a class, whose callbacks may call these methods.
    pub fn new(class: &str, called_back: Vec<CalledBack>) -> Producers {
        Producers { class: class.to_owned(), known: BTreeMap::new(), called_back }
    }

    /// Ways to come by an object of a type.
    pub fn of(&mut self, library: &Library<'_>, wanted: &str) -> Rc<[Producer]> {
        if let Some(known) = self.known.get(wanted) {
            return known.clone();
        }
        let found: Rc<[Producer]> = find(library, wanted, &self.class).into();
        self.known.insert(wanted.to_owned(), found.clone());
        found
    }
}

/// Whether a type says nothing about what is wanted.
pub fn is_general(wanted: &str) -> bool {
    GENERAL.contains(&wanted)
}

fn find(library: &Library<'_>, wanted: &str, under_test: &str) -> Vec<Producer> {
    let Some(info) = library.class(wanted) else { return Vec::new() };
    let mut found = Vec::new();
    if library.is_visible(&info) {
        made_by(library, &info, wanted, 2.0, &mut found);
    }
    // Everything is an object and much can be compared: that is no reason to make any of it.
    if is_general(wanted) {
        return found;
    }
    let mut places = vec![info.package().to_owned()];
    if package(under_test) != info.package() {
        places.push(package(under_test).to_owned());
    }
    for place in &places {
        for class in library.visible_in(place).iter() {
            if class.name != wanted && library.is_subtype(&class.name, wanted) {
                made_by(library, class, wanted, 1.0, &mut found);
            }
        }
    }
    let is_unwanted = |class: &str| UNWANTED.iter().any(|name| library.is_subtype(class, name));
    let is_usable = |producer: &Producer| is_unwanted(wanted) || !is_unwanted(&producer.way.class().name);
    found.retain(is_usable);
    given_out(library, &info, under_test, &mut found);
    // What makes a subject cannot come from a subject.
    let is_of_subject =
        |producer: &Producer| matches!(&producer.way, Way::Virtual { class, .. } if class.name == under_test);
    let makes_subject = || {
        let class = library.class(under_test);
        class.is_some_and(|class| class.constructors.iter().any(|constructor| takes(library, constructor, wanted)))
    };
    if !is_of_jdk(wanted) && (found.is_empty() || found.iter().all(is_of_subject) && makes_subject()) {
        found.extend(given_by_others(library, &info, under_test, &is_unwanted));
    }
    let is_function = info.is_interface() && library.abstract_methods(wanted).len() == 1;
    let elsewhere = if found.is_empty() && !is_function { elsewhere(library, wanted, &is_usable) } else { Vec::new() };
    if info.is_abstract() && library.is_visible(&info) {
        let weight = match found.is_empty() {
            _ if is_function => 4.0 * found.len().max(1) as f64,
            true => 1.0,
            false => 0.3,
        };
        implementations(library, &info, weight, &mut found);
    }
    found.extend(elsewhere);
    found
}

/// What the class around a type, the class under test and builders of the type give out of it. And by methods of the
/// subject, for only the author of both may know how to make one: what `acquire` gives and `release` takes. What the JDK has others can make,
/// and is mostly a view of the subject.
fn given_out(library: &Library<'_>, info: &Rc<ClassInfo>, under_test: &str, found: &mut Vec<Producer>) {
    let wanted = &*info.name;
    let builders = builders(library, info);
    let is_builder = |giver: &str| builders.iter().any(|builder| builder == giver);
    let mut givers: Vec<&str> = info.outer.as_deref().into_iter().chain([under_test]).collect();
    givers.extend(builders.iter().map(String::as_str));
    // Whoever else gives one out is asked only if it cannot be had otherwise.
    let beside = library.visible_in(info.package());
    if found.is_empty() && !is_of_jdk(wanted) {
        givers.extend(beside.iter().map(|class| &*class.name));
    }
    givers.sort_unstable();
    givers.dedup();
    for giver in givers.into_iter().filter_map(|giver| library.class(giver)) {
        let is_giver = |method: &&MethodInfo| {
            method.is_in_source()
                && library.can_use(method.flags, giver.package())
                && (gives(library, method, wanted)
                    || giver.name == under_test && !method.is_static() && wrapped(library, method, wanted).is_some())
                && (!method.is_static() || !takes(library, method, wanted))
        };
        // Of what is below a type its own factories were found before.
        if !library.is_visible(&giver) || library.is_subtype(&giver.name, wanted) {
            continue;
        }
        for method in giver.methods.iter().filter(is_giver) {
            let (class, way) = (giver.clone(), method.clone());
            // A node is made below another node: that needs one that is there already.
            let weight = if takes(library, method, wanted) { 0.2 } else { 0.5 } * simplicity(method);
            match method.is_static() {
                true => found.push(Producer::new(Way::Static { class, method: way }, weight)),
                false if (giver.name == under_test || is_builder(&giver.name)) && !is_of_jdk(wanted) => {
                    let inside = wrapped(library, method, wanted).filter(|_| !gives(library, method, wanted));
                    found.push(Producer::new(Way::Virtual { class, method: way, inside }, 2.0 * weight));
                }
                false => {}
            }
        }
    }
}

/// What any other class gives out of a type that cannot be had in another way: configuration that a builder beside it
/// builds, or that a service tells. Those in its own package are asked first, then all.
fn given_by_others(
    library: &Library<'_>,
    info: &Rc<ClassInfo>,
    under_test: &str,
    is_unwanted: &dyn Fn(&str) -> bool,
) -> Vec<Producer> {
    let wanted = &*info.name;
    let of = |givers: &[Rc<ClassInfo>]| {
        let mut found = Vec::new();
        let asked = givers.iter().filter(|giver| !library.is_subtype(&giver.name, wanted) && giver.name != under_test);
        for giver in asked.filter(|giver| !giver.is_local && !is_unwanted(&giver.name)) {
            let is_giver = |method: &&MethodInfo| {
                method.is_in_source()
                    && library.can_use(method.flags, giver.package())
                    && gives(library, method, wanted)
                    && !takes(library, method, wanted)
            };
            for method in giver.methods.iter().filter(is_giver) {
                let (class, method, weight) = (giver.clone(), method.clone(), simplicity(method));
                found.push(match method.is_static() {
                    true => Producer::new(Way::Static { class, method }, weight),
                    false => Producer::new(Way::Virtual { class, method, inside: None }, 0.5 * weight),
                });
            }
        }
        found
    };
    let beside = of(&library.visible_in(info.package()));
    if beside.is_empty() { of(&library.given()) } else { beside }
}

/// Classes whose objects may build one of a type: those inside it, and those that its own factories give.
fn builders(library: &Library<'_>, info: &Rc<ClassInfo>) -> Vec<String> {
    let beside = library.visible_in(info.package());
    let inside = beside.iter().filter(|class| class.outer.as_deref() == Some(&*info.name)).map(|it| it.name.clone());
    let given = info.methods.iter().filter(|method| method.is_static() && method.is_in_source());
    let given = given.filter_map(|method| match &method.returns {
        Some(TypeSignature::Class(class)) => Some(types::class_name(class).to_string()),
        _ => None,
    });
    let mut builders: Vec<String> = inside.chain(given.filter(|class| !is_of_jdk(class))).collect();
    builders.retain(|builder| *builder != info.name);
    builders.sort();
    builders.dedup();
    builders
}

/// Whether a method is given an object of a type, or of one below it.
pub fn takes(library: &Library<'_>, method: &MethodInfo, class: &str) -> bool {
    let own = |parameter: &TypeSignature| match parameter {
        TypeSignature::Class(of) => library.is_subtype(&types::class_name(of), class),
        _ => false,
    };
    method.parameters.iter().any(own)
}

/// What classes of other packages offer. What needs objects there is mostly a service with threads and connections of its own, and what
/// factories and constants give may be one object for all, which two threads must not be given for their own.
fn elsewhere(library: &Library<'_>, wanted: &str, is_usable: &dyn Fn(&Producer) -> bool) -> Vec<Producer> {
    let mut found = Vec::new();
    for class in library.given().iter().filter(|class| library.is_subtype(&class.name, wanted)) {
        made_by(library, class, wanted, 1.0, &mut found);
    }
    let is_own = |way: &Way| matches!(way, Way::Construct { .. }) || way.class().is_enum();
    found.retain(|producer| is_own(&producer.way) && producer.needs() == 0 && is_usable(producer));
    // All together as likely as one that the test writes: few of them may be meant for this.
    let total: f64 = found.iter().map(|producer| producer.weight).sum();
    found.iter_mut().for_each(|producer| producer.weight /= total);
    found
}

/// The ways that a class itself offers: its constructors, factories and constants.
fn made_by(library: &Library<'_>, class: &Rc<ClassInfo>, wanted: &str, weight: f64, found: &mut Vec<Producer>) {
    let package = class.package();
    if class.is_local {
        return;
    }
    if class.is_enum() {
        for field in &class.constants {
            if field.flags.has(Flags::ENUM) {
                found.push(Producer::new(Way::Constant { class: class.clone(), field: field.clone() }, weight));
            }
        }
        return;
    }
    if !class.is_abstract() {
        for constructor in &class.constructors {
            if library.can_use(constructor.flags, package) && constructor.is_in_source() {
                let way = Way::Construct { class: class.clone(), constructor: constructor.clone() };
                found.push(Producer::new(way, weight * simplicity(constructor)));
            }
        }
    }
    for method in class.methods.iter().filter(|method| method.is_static() && method.is_in_source()) {
        let is_lasting = LASTING.contains(&(&*class.name, &*method.name));
        if !is_lasting && library.can_use(method.flags, package) && gives(library, method, wanted) {
            let way = Way::Static { class: class.clone(), method: method.clone() };
            found.push(Producer::new(way, 0.5 * weight * simplicity(method)));
        }
    }
    for field in &class.constants {
        let name = field.descriptor.trim_start_matches('L').trim_end_matches(';');
        if library.can_use(field.flags, package) && library.is_subtype(name, wanted) {
            found.push(Producer::new(Way::Constant { class: class.clone(), field: field.clone() }, 0.5 * weight));
        }
    }
}

/// Classes that the test writes below a type, one for each constructor that they can call.
pub fn implementations(library: &Library<'_>, class: &Rc<ClassInfo>, weight: f64, found: &mut Vec<Producer>) {
    if class.is_inner || class.is_local || class.flags.has(Flags::FINAL) {
        return;
    }
    if class.is_interface() {
        found.push(Producer::new(Way::Implement { class: class.clone(), constructor: None }, weight));
        return;
    }
    let heritable = |flags: Flags| flags.has(Flags::PROTECTED) || library.can_use(flags, class.package());
    for constructor in class.constructors.iter().filter(|constructor| heritable(constructor.flags)) {
        let way = Way::Implement { class: class.clone(), constructor: Some(constructor.clone()) };
        found.push(Producer::new(way, weight * simplicity(constructor)));
    }
}

/// Whether a method declares that it gives an object of a type.
pub fn gives(library: &Library<'_>, method: &MethodInfo, wanted: &str) -> bool {
    match &method.returns {
        Some(TypeSignature::Class(class)) => library.is_subtype(&types::class_name(class), wanted),
        _ => false,
    }
}

/// What a method gives that has an object of a type in it, by what it declares.
fn wrapped(library: &Library<'_>, method: &MethodInfo, wanted: &str) -> Option<&'static Wrapper> {
    let Some(TypeSignature::Class(class)) = &method.returns else { return None };
    let [TypeArgument::Exact(TypeSignature::Class(inside)) | TypeArgument::Extends(TypeSignature::Class(inside))] =
        types::arguments(class)
    else {
        return None;
    };
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.class == types::class_name(class))?;
    library.is_subtype(&types::class_name(inside), wanted).then_some(wrapper)
}

/// Fewer parameters are easier to come by.
pub fn simplicity(method: &MethodInfo) -> f64 {
    1.0 / (1 + method.parameters.len()) as f64
}

impl Producer {
    pub fn new(way: Way, weight: f64) -> Producer {
        let key = match &way {
            Way::Construct { class, constructor } => format!("new {}{}", class.name, constructor.descriptor),
            Way::Static { class, method } => format!("{}.{}{}", class.name, method.name, method.descriptor),
            Way::Virtual { class, method, .. } => format!("{}#{}{}", class.name, method.name, method.descriptor),
            Way::Constant { class, field } => format!("{}.{}", class.name, field.name),
            Way::Implement { class, constructor } => {
                format!("implement {}{}", class.name, constructor.as_ref().map_or("", |c| &c.descriptor))
            }
        };
        Producer { way, weight, key: Name::of(key) }
    }

    /// How many objects have to be there first; numbers and texts are just written down.
    pub fn needs(&self) -> usize {
        let is_object = |parameter: &&TypeSignature| {
            !matches!(parameter, TypeSignature::Primitive(_)) && **parameter != types::class("java/lang/String")
        };
        let objects = self.way.method().map_or(0, |method| method.parameters.iter().filter(is_object).count());
        objects + usize::from(matches!(self.way, Way::Virtual { .. }))
    }
}

impl Way {
    /// The method or constructor that it calls, if it calls one.
    pub fn method(&self) -> Option<&MethodInfo> {
        match self {
            Way::Construct { constructor: method, .. } | Way::Static { method, .. } | Way::Virtual { method, .. } => {
                Some(method)
            }
            Way::Implement { constructor, .. } => constructor.as_ref(),
            Way::Constant { .. } => None,
        }
    }

    /// Whether it gives the same object each time.
    pub fn is_constant(&self) -> bool {
        matches!(self, Way::Constant { .. })
    }

    /// The class that it names.
    pub fn class(&self) -> &Rc<ClassInfo> {
        match self {
            Way::Construct { class, .. }
            | Way::Static { class, .. }
            | Way::Virtual { class, .. }
            | Way::Constant { class, .. }
            | Way::Implement { class, .. } => class,
        }
    }
}
