//! Kernel names as their authors wrote them.

use cpp_demangle::{DemangleOptions, Symbol};

/// Mangled names longer than this are shown as they are.
const MAX_LENGTH: usize = 4096;

/// Shows names, demangled unless told not to.
pub struct Names {
    mangled: bool,
}

impl Names {
    /// `mangled`: leave them alone.
    pub fn new(mangled: bool) -> Self {
        Self { mangled }
    }

    /// A name of the Itanium C++ ABI demangled, any other as it is.
    pub fn show(&self, name: &str) -> String {
        if self.mangled || !name.starts_with("_Z") || name.len() > MAX_LENGTH {
            return name.into();
        }
        // The return type of template kernels is always void.
        let options = DemangleOptions::new().no_return_type();
        Symbol::new(name)
            .ok()
            .and_then(|symbol| symbol.demangle_with_options(&options).ok())
            .unwrap_or_else(|| name.into())
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_demangled_on_request() {
        let name = "_Z5scaleIfEvPT_i";
        assert_eq!(Names::new(false).show(name), "scale<float>(float*, int)");
        assert_eq!(Names::new(true).show(name), name);
        assert_eq!(Names::new(false).show("plain_c"), "plain_c");
        assert_eq!(Names::new(false).show("_Zfoo"), "_Zfoo");
    }
}
