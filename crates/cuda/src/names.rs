//! Every name that the two APIs export, with its address. Generated from the committed tables under `names/`.
//!
//! The same as text, `API NAME 0|1` a line, lies in the section `.hotfire.names` of the shared object, where `hotfire coverage` reads it.

/// One exported function.
pub(crate) struct Export {
    /// Its symbol.
    pub symbol: &'static str,
    /// False for a stub that answers "not supported".
    pub implemented: bool,
    /// The function; its real signature is its own.
    pub function: unsafe extern "C" fn(),
}

/// One form of a driver function, as `cuGetProcAddress` distinguishes them.
pub(crate) struct Driver {
    /// The name without version and stream suffixes.
    pub base: &'static str,
    /// CUDA version that introduced this form, such as 12050.
    pub version: u32,
    /// The form whose stream 0 is the calling thread's own.
    pub per_thread: bool,
    /// A second base name of a function that has its own row.
    pub alias: bool,
    /// The function.
    pub export: Export,
}

impl Export {
    /// The function's address.
    pub fn address(&self) -> *const () {
        self.function as *const ()
    }
}

/// Every exported name, and whether anything implements it.
pub fn coverage() -> impl Iterator<Item = (&'static str, bool)> {
    DRIVER
        .iter()
        .filter(|row| !row.alias)
        .map(|row| &row.export)
        .chain(&RUNTIME)
        .map(|export| (export.symbol, export.implemented))
}

include!(concat!(env!("OUT_DIR"), "/names.rs"));

/// The driver function of that name that a program built for `version` means, and whether any form of it exists.
///
/// The newest form not newer than `version` wins; `per_thread` prefers the form whose stream 0 is the thread's own.
pub(crate) fn driver(base: &str, version: u32, per_thread: bool) -> (Option<&'static Driver>, bool) {
    let first = DRIVER.partition_point(|row| row.base < base);
    let forms = || DRIVER[first..].iter().take_while(|row| row.base == base);
    let newest =
        |own: bool| forms().filter(|row| row.per_thread == own && row.version <= version).max_by_key(|row| row.version);
    let found = if per_thread { newest(true).or_else(|| newest(false)) } else { newest(false) };
    (found, forms().next().is_some())
}
