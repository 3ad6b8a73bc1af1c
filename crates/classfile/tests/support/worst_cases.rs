//! Class files made by hand to be as bad as possible.

/// Each with what is bad about it.
pub fn worst_cases() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("nothing", Vec::new()),
        ("annotations in annotations", annotated(&nested(20_000, &[b'@', 0, A, 0, 1, 0, A]))),
        ("annotations in arrays", annotated(&nested(20_000, &[b'[', 0, 1]))),
        ("each array claims all that is left", annotated(&greedy(ARRAY))),
        ("each annotation claims all that is left", annotated(&greedy(ANNOTATION))),
        ("a signature of nested classes", signed(&"LA<".repeat(21_000))),
        ("a signature of nested arrays", signed(&"[".repeat(65_000))),
        ("a signature of wildcards", signed(&format!("LA<{}>;", "*".repeat(65_000)))),
        ("65,535 constants, none there", header(u16::MAX)),
        ("65,535 constants in zeros", [header(u16::MAX), vec![0; 200_000]].concat()),
        ("65,535 integers", [header(u16::MAX), [3, 0, 0, 0, 0].repeat(65_534)].concat()),
        ("65,535 interfaces, none there", class(&[], &[0xff, 0xff])),
        ("65,535 fields, none there", class(&[], &[0, 0, 0xff, 0xff])),
        ("65,535 methods, none there", class(&[], &[0, 0, 0, 0, 0xff, 0xff])),
        ("65,535 attributes, none there", class(&[], &[0, 0, 0, 0, 0, 0, 0xff, 0xff])),
        ("65,535 empty fields", class(&[], &[&[0, 0, 0xff, 0xff][..], &field(0).repeat(65_535)].concat())),
        ("a field with 65,535 attributes, in zeros", lying_field()),
        ("65,535 attributes without content", with_attributes(65_535, &attribute(UNKNOWN, &[]).repeat(65_535))),
        ("an attribute of 4 GB", with_attributes(1, &[0, UNKNOWN, 0xff, 0xff, 0xff, 0xff])),
        ("65,535 annotations", with_attributes(1, &attribute(ANNOTATIONS, &many(&[0, A, 0, 0])))),
        ("65,535 type annotations", with_attributes(1, &attribute(TYPE_ANNOTATIONS, &many(&[0x13, 0, 0, A, 0, 0])))),
        ("65,535 record components", with_attributes(1, &attribute(RECORD, &many(&[0, A, 0, A, 0, 0])))),
        ("the last constant is a long", long_at_the_end(1)),
        ("the last constant but one is a long", long_at_the_end(2)),
        ("a switch over all integers", methods(&[code(&switch(170, &[0, i32::MIN, i32::MAX]), &[])])),
        ("a switch from high to low", methods(&[code(&switch(170, &[0, 1, -1]), &[])])),
        ("a switch with a billion targets", methods(&[code(&switch(170, &[0, 0, 0x3fff_ffff]), &[])])),
        ("a switch with -1 pairs", methods(&[code(&switch(171, &[0, -1]), &[])])),
        ("a switch with the fewest pairs", methods(&[code(&switch(171, &[0, i32::MIN]), &[])])),
        ("a switch with two billion pairs", methods(&[code(&switch(171, &[0, i32::MAX]), &[])])),
        (
            "a switch with 16,000 targets",
            methods(&[code(&switch(170, &[&[0, 1, 16_000], &[0; 16_000][..]].concat()), &[])]),
        ),
        (
            "a switch with 8,000 equal keys",
            methods(&[code(&switch(171, &[&[0, 8_000], &[0; 16_000][..]].concat()), &[])]),
        ),
        ("code of jumps", methods(&[code(&[167, 0, 0].repeat(21_845), &[])])),
        ("frames of one byte, no code for them", methods(&[code(&[177], &frames(&many(&[0])))])),
        ("frames of one byte, eight times", methods(&vec![code(&nops(), &frames(&many(&[0]))); 8])),
        ("frames of three locals", methods(&vec![code(&nops(), &frames(&many(&[254, 0, 0, 1, 1, 1]))); 4])),
        ("full frames of nothing", methods(&vec![code(&nops(), &frames(&many(&[255, 0, 0, 0, 0, 0, 0]))); 4])),
        ("a frame of 65,535 locals", methods(&[code(&nops(), &frames(&wide_frame()))])),
        ("a return type with a parenthesis", methods_of(b"()La)b;", &[code(&[1, 176], &[])])),
        ("text that is not in its shortest form", methods_of(b"(La\xc0\xbbb;)V", &[code(&[177], &[])])),
        ("half of a long where an object should be", methods(&[code(&[9, 75, 1, 75, 177], &[])])),
        ("a conditional at the end", methods(&[code(&[&[0; 20_000][..], &[3, 153, 0xb1, 0xdf]].concat(), &[])])),
        ("a store into the last local", methods(&[code(&[9, 196, 55, 0xff, 0xff, 177], &[])])),
        (
            "frames in a class without frames",
            old(methods(&[code(&[17, 0, 0, 154, 0, 6, 17, 0, 0, 177], &frames(&[0, 1, 9]))])),
        ),
    ]
}

// Constants that all these classes have.
const A: u8 = 1;
const A_CLASS: u8 = 2;
const CODE: u8 = 3;
const FRAMES: u8 = 4;
const ANNOTATIONS: u8 = 5;
const TYPE_ANNOTATIONS: u8 = 6;
const RECORD: u8 = 7;
const SIGNATURE: u8 = 8;
const UNKNOWN: u8 = 9;
const INT_TYPE: u8 = 10;
/// The first constant of those that differ.
const OTHER: u8 = 11;

const VERSION: u8 = 61;

fn header(constants: u16) -> Vec<u8> {
    [&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, VERSION][..], &constants.to_be_bytes()].concat()
}

fn utf8(text: &[u8]) -> Vec<u8> {
    [&[1][..], &(text.len() as u16).to_be_bytes(), text].concat()
}

/// A class from the other constants, and all that comes behind its superclass.
fn class(others: &[Vec<u8>], rest: &[u8]) -> Vec<u8> {
    let mut bytes = header(OTHER as u16 + others.len() as u16);
    bytes.extend([utf8(b"A"), vec![7, 0, A], utf8(b"Code"), utf8(b"StackMapTable")].concat());
    bytes.extend([utf8(b"RuntimeVisibleAnnotations"), utf8(b"RuntimeVisibleTypeAnnotations")].concat());
    bytes.extend([utf8(b"Record"), utf8(b"Signature"), utf8(b"Unknown"), utf8(b"I")].concat());
    bytes.extend(others.concat());
    bytes.extend([0, 0, 0, A_CLASS, 0, A_CLASS]);
    bytes.extend(rest);
    bytes
}

/// The class in the format of Java 5.
fn old(mut class: Vec<u8>) -> Vec<u8> {
    class[7] = 49;
    class
}

fn with_attributes(count: u16, attributes: &[u8]) -> Vec<u8> {
    class(&[], &[&[0; 6][..], &count.to_be_bytes(), attributes].concat())
}

fn attribute(name: u8, content: &[u8]) -> Vec<u8> {
    [&[0, name][..], &(content.len() as u32).to_be_bytes(), content].concat()
}

/// A table of 65,535 times the same entry.
fn many(entry: &[u8]) -> Vec<u8> {
    [&[0xff, 0xff][..], &entry.repeat(65_535)].concat()
}

/// A class with one annotation whose one element is `value`.
fn annotated(value: &[u8]) -> Vec<u8> {
    with_attributes(1, &attribute(ANNOTATIONS, &[&[0, 1, 0, A, 0, 1, 0, A][..], value].concat()))
}

/// A value that holds a value that holds a value.
fn nested(depth: usize, opening: &[u8]) -> Vec<u8> {
    [&opening.repeat(depth)[..], &[b's', 0, A]].concat()
}

const ARRAY: (&[u8], usize) = (b"[", 3);
const ANNOTATION: (&[u8], usize) = (&[b'@', 0, A], 5);

/// Values within values, each of which says to hold as many as the rest of the file has room for.
fn greedy((opening, smallest): (&[u8], usize)) -> Vec<u8> {
    let size = smallest * u16::MAX as usize;
    let mut value = Vec::new();
    for _ in 0..60 {
        value.extend(opening);
        let room = (size - value.len() - 2) / smallest;
        value.extend((room as u16).to_be_bytes());
        if opening.len() > 1 {
            value.extend([0, A]);
        }
    }
    value.resize(size, 0);
    value
}

fn signed(text: &str) -> Vec<u8> {
    class(&[utf8(text.as_bytes())], &[&[0; 6][..], &[0, 1], &attribute(SIGNATURE, &[0, OTHER])].concat())
}

fn field(attributes: u16) -> Vec<u8> {
    [&[0, 0, 0, A, 0, INT_TYPE][..], &attributes.to_be_bytes()].concat()
}

fn lying_field() -> Vec<u8> {
    class(&[], &[&[0, 0, 0xff, 0xff][..], &field(u16::MAX), &[0; 600_000]].concat())
}

/// A class whose `places` last entries of the pool are begun by a long.
fn long_at_the_end(places: u16) -> Vec<u8> {
    let mut bytes = class(&[[&[5][..], &[0; 8]].concat()], &[0; 8]);
    bytes[8..10].copy_from_slice(&(OTHER as u16 + places).to_be_bytes());
    bytes
}

fn methods(codes: &[Vec<u8>]) -> Vec<u8> {
    methods_of(b"()V", codes)
}

/// A class with synchronized static methods.
fn methods_of(descriptor: &[u8], codes: &[Vec<u8>]) -> Vec<u8> {
    let mut rest = vec![0; 4];
    rest.extend((codes.len() as u16).to_be_bytes());
    for code in codes {
        rest.extend([0, 0x28, 0, A, 0, OTHER, 0, 1]);
        rest.extend(attribute(CODE, code));
    }
    class(&[utf8(descriptor)], &[rest, vec![0, 0]].concat())
}

/// The content of a Code attribute with one attribute of its own, or none.
fn code(instructions: &[u8], attribute: &[u8]) -> Vec<u8> {
    let length = (instructions.len() as u32).to_be_bytes();
    [&[0, 9, 0, 9][..], &length, instructions, &[0, 0, 0, !attribute.is_empty() as u8], attribute].concat()
}

/// As many instructions as a method can hold.
fn nops() -> Vec<u8> {
    [&[0; 65_534][..], &[177]].concat()
}

fn frames(table: &[u8]) -> Vec<u8> {
    attribute(FRAMES, table)
}

fn wide_frame() -> Vec<u8> {
    [&[0, 1, 255, 0, 0][..], &many(&[1]), &[0, 0]].concat()
}

/// A switch at offset 0.
fn switch(opcode: u8, operands: &[i32]) -> Vec<u8> {
    let mut bytes = vec![opcode, 0, 0, 0];
    operands.iter().for_each(|operand| bytes.extend(operand.to_be_bytes()));
    bytes
}
