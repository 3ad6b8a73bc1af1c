//! What the values of a call can be worth, as far as its declaration says.

use testcase::{Call, Operation};

use crate::observation::Kind;

/// Objects of these types stand for what they will give, and not for what they have given: what they hold inside depends
/// on when it is read.
const LAZY: [&str; 7] = [
    "java/util/Iterator",
    "java/util/ListIterator",
    "java/util/PrimitiveIterator",
    "java/util/Spliterator",
    "java/util/Enumeration",
    "java/util/stream/",
    "java/lang/Thread",
];

/// The most that a difference of what a call returns can mean.
pub fn kind(call: &Call) -> Kind {
    let (name, descriptor) = match &call.operation {
        Operation::Static { name, descriptor, .. } | Operation::Virtual { name, descriptor, .. } => (name, descriptor),
        // Which object it is was decided by the test.
        Operation::Construct { .. } | Operation::Array { .. } | Operation::Implement { .. } => return Kind::Unknown,
        Operation::GetField { .. }
        | Operation::PutField { .. }
        | Operation::GetStatic { .. }
        | Operation::PutStatic { .. } => return Kind::Scalar,
    };
    let returned = descriptor.rsplit(')').next().unwrap_or_default();
    let class = returned.strip_prefix('L').unwrap_or_default().trim_end_matches(';');
    if LAZY.iter().any(|lazy| class.starts_with(lazy)) {
        Kind::Unknown
    } else if matches!((&**name, &**descriptor), ("toString", "()Ljava/lang/String;") | ("hashCode", "()I")) {
        // Made of all that there is, mostly not at once.
        Kind::Aggregate
    } else {
        Kind::Scalar
    }
}
