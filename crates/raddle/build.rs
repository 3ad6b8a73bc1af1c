//! HotSpot looks for the worker's agent among the executable's own dynamic symbols.

fn main() {
    println!("cargo:rustc-link-arg-bins=-rdynamic");
}
