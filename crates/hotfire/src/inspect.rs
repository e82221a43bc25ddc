//! `hotfire inspect`: the device code in a file, as this device sees it.

mod kernels;
pub mod name;

use crate::report;
use hotfire_image::container::{self, Code, Contents, Form, Image, Role, Runtime};
use hotfire_image::fatbin::{Entry, Kind};
use hotfire_image::{Architecture, defines_device_runtime, select};
use kernels::{Launch, Summary};
use name::Names;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// Prints what is in `file`.
pub fn inspect(file: &Path, mangled: bool) -> ExitCode {
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            report(&format!("{}: {error}", file.display()));
            return ExitCode::FAILURE;
        }
    };
    let contents = match container::inspect(&bytes) {
        Ok(contents) => contents,
        Err(error) => {
            report(&format!("{}: {error}", file.display()));
            return ExitCode::FAILURE;
        }
    };
    let mut page = Page { text: String::new(), names: Names::new(mangled), kernels: 0, faults: 0 };
    page.contents(file, &contents);
    // A reader that has seen enough closes the pipe: no fault of this file.
    let _ = io::stdout().write_all(page.text.as_bytes());
    if page.faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What is printed, and what was counted on the way.
struct Page {
    text: String,
    names: Names,
    kernels: usize,
    /// Things that would not run here.
    faults: usize,
}

/// Writes a line; writing to a string cannot fail.
macro_rules! line {
    ($page:expr, $($arg:tt)*) => {{ let _ = writeln!($page.text, $($arg)*); }};
}

impl Page {
    fn contents(&mut self, file: &Path, contents: &Contents<'_>) {
        line!(self, "{}: {}", file.display(), form(contents.form));
        for runtime in &contents.runtimes {
            self.runtime(runtime);
        }
        if contents.images.is_empty() {
            line!(self, "no device code");
            return;
        }
        for image in &contents.images {
            line!(self, "");
            self.image(image);
        }
        // Linked machine code is registered beside the units that it was made of, and empty fat binaries beside everything: only a
        // file without any PTX is without a program.
        let runnable = contents.images.iter().any(|image| match &image.code {
            Code::Ptx(_) => true,
            Code::Fatbin(entries) => select(entries, Architecture::DEVICE).is_some(),
            Code::Cubin(_) | Code::Damaged(_) => false,
        });
        line!(self, "");
        if runnable {
            let kernels = if self.kernels == 1 { "1 kernel".into() } else { format!("{} kernels", self.kernels) };
            match self.faults {
                0 => line!(self, "{kernels}, all of which run here"),
                faults => line!(self, "{kernels}; {faults} of the above cannot run here"),
            }
        } else {
            self.faults += 1;
            line!(self, "{}", advice(&contents.images));
        }
    }

    fn runtime(&mut self, runtime: &Runtime) {
        match runtime {
            Runtime::Static => line!(self, "CUDA runtime: linked in; its calls are redirected when the program starts"),
            Runtime::Shared(name) => line!(self, "CUDA library: {name}"),
            Runtime::StaticStripped => {
                self.faults += 1;
                line!(
                    self,
                    "CUDA runtime: linked in, but without symbols to redirect; link with `-cudart shared`, or do not strip"
                );
            }
        }
    }

    fn image(&mut self, image: &Image<'_>) {
        let member = image.member.as_ref().map_or_else(String::new, |member| format!("{member}: "));
        match &image.code {
            Code::Ptx(text) => self.ptx(text),
            Code::Cubin(architecture) => line!(self, "{member}cubin for {architecture}"),
            Code::Damaged(error) => {
                self.faults += 1;
                line!(self, "{member}damaged fat binary at {:#x}: {error}", image.offset);
            }
            Code::Fatbin(entries) => {
                let role = match image.role {
                    Role::Loaded => ", loaded as it is",
                    Role::Unit => ", a unit to be linked",
                    Role::Alone => "",
                };
                line!(self, "{member}fat binary at {:#x}{role}", image.offset);
                self.entries(entries, image.role);
            }
        }
    }

    fn entries(&mut self, entries: &[Entry<'_>], role: Role) {
        let chosen = select(entries, Architecture::DEVICE);
        for entry in entries {
            let mark = if chosen.is_some_and(|chosen| std::ptr::eq(chosen, entry)) { "*" } else { " " };
            line!(self, "  {mark} {}", describe(entry));
        }
        // The device runtime's PTX is for newer devices; machine code for ours stands beside it.
        let text = chosen.or_else(|| entries.iter().find(|entry| entry.kind == Kind::Ptx)).map(Entry::text);
        match text {
            Some(Err(error)) => {
                self.faults += 1;
                line!(self, "    cannot be read: {error}");
            }
            Some(Ok(text)) if defines_device_runtime(&text) => {
                line!(self, "    NVIDIA's device runtime: left out, this device brings its own");
            }
            Some(Ok(text)) if chosen.is_some() => self.ptx(&text),
            // Loaded machine code without PTX may be what the units were linked to; a unit without PTX is missing from the program.
            Some(Ok(_)) | None if role == Role::Unit => {
                self.faults += 1;
                line!(self, "    no PTX that runs on compute capability 9.0");
            }
            Some(Ok(_)) | None => {}
        }
    }

    fn ptx(&mut self, text: &str) {
        let module = match hotfire_ptx::parse(text) {
            Ok(module) => module,
            Err(error) => {
                self.faults += 1;
                line!(self, "    unusable: {error}");
                return;
            }
        };
        for kernel in kernels::summarise(&module) {
            self.kernels += 1;
            self.kernel(&kernel);
        }
    }

    fn kernel(&mut self, kernel: &Summary) {
        line!(self, "    kernel {}", self.names.show(&kernel.name));
        if !kernel.parameters.is_empty() {
            line!(self, "      parameters  {}", kernel.parameters.join(", "));
        }
        if let Some(limits) = &kernel.limits {
            line!(self, "      threads     {limits}");
        }
        for Launch { kernel, stream, place } in &kernel.launches {
            let what =
                kernel.as_ref().map_or_else(|| "a kernel known at run time".into(), |name| self.names.show(name));
            line!(self, "      launches    {what}, {stream}, {place}");
        }
        for fault in &kernel.faults {
            self.faults += 1;
            line!(self, "      cannot run  {fault}");
        }
    }
}

fn form(form: Form) -> &'static str {
    match form {
        Form::Executable => "executable",
        Form::SharedObject => "shared object",
        Form::Object => "relocatable object",
        Form::Archive => "archive",
        Form::Fatbin => "fat binary",
        Form::Cubin => "machine code of a GPU (cubin)",
        Form::Ptx => "PTX",
    }
}

fn describe(entry: &Entry<'_>) -> String {
    let stored = match entry.compression {
        Some(hotfire_image::Compression::None) => "",
        Some(hotfire_image::Compression::Lz4) => ", LZ4",
        Some(hotfire_image::Compression::Zstd) => ", zstd",
        None => ", compressed in an unknown way",
    };
    let what = match entry.kind {
        Kind::Ptx => {
            format!("PTX {}.{} for {}", entry.version.0, entry.version.1, entry.architecture.virtual_name())
        }
        Kind::Elf => format!("machine code for {}", entry.architecture),
        Kind::LtoIr => format!("link-time optimisation code for {}", entry.architecture),
        Kind::Other(kind) => format!("kind {kind} for {}", entry.architecture),
    };
    format!("{what}, {} bytes{stored}", entry.plain_length)
}

fn advice(images: &[Image<'_>]) -> String {
    let (mut machine_code, mut ptx) = (Vec::new(), Vec::new());
    for image in images {
        match &image.code {
            Code::Cubin(architecture) => machine_code.push(*architecture),
            Code::Fatbin(entries) => {
                machine_code.extend(entries.iter().filter(|e| e.kind == Kind::Elf).map(|e| e.architecture));
                ptx.extend(entries.iter().filter(|e| e.kind == Kind::Ptx).map(|e| e.architecture));
            }
            Code::Ptx(_) | Code::Damaged(_) => {}
        }
    }
    for list in [&mut machine_code, &mut ptx] {
        list.sort();
        list.dedup();
    }
    hotfire_image::machine_code::advice(Architecture::DEVICE, &machine_code, &ptx)
}
