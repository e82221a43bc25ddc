//! Parses PTX files and says what each holds: `cargo run -p hotfire-ptx --example parse -- FILE…`

use std::time::Instant;

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let started = Instant::now();
        match hotfire_ptx::parse(&text) {
            Ok(module) => {
                let time = started.elapsed();
                println!(
                    "{path}: {} functions, {} variables, {time:?}",
                    module.functions.len(),
                    module.variables.len()
                );
                for function in &module.functions {
                    if let Some(error) = &function.broken {
                        println!("{path}: {}: {error}", function.name);
                    }
                }
            }
            Err(error) => println!("{path}: {error}"),
        }
    }
}
