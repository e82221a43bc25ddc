//! Names as their authors wrote them.

use cpp_demangle::{DemangleOptions, Symbol};
use parking_lot::Mutex;
use std::collections::HashMap;

/// Mangled names longer than this are shown as they are.
const MAX_LENGTH: usize = 4096;

/// Demangled names, each made once.
#[derive(Default)]
pub(crate) struct Names(Mutex<HashMap<Box<str>, String>>);

impl Names {
    /// A name of the Itanium C++ ABI demangled, without parameters; any other as it is.
    pub fn show(&self, name: &str) -> String {
        if !name.starts_with("_Z") || name.len() > MAX_LENGTH {
            return name.to_owned();
        }
        if let Some(known) = self.0.lock().get(name) {
            return known.clone();
        }
        let options = DemangleOptions::new().no_params().no_return_type();
        let shown = Symbol::new(name).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
        let shown = shown.unwrap_or_else(|| name.to_owned());
        self.0.lock().insert(name.into(), shown.clone());
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_lose_their_parameters() {
        let names = Names::default();
        for _ in 0..2 {
            assert_eq!(names.show("_Z5scaleIfEvPT_i"), "scale<float>");
        }
        assert_eq!(names.show("_ZN4deep6kernelEPi"), "deep::kernel");
        assert_eq!((names.show("plain_c"), names.show("_Zfoo")), ("plain_c".into(), "_Zfoo".into()));
    }
}
