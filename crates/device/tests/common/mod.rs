//! A device with the kernels of `kernels.ptx` loaded, and short ways to use it.
#![allow(dead_code, reason = "each test program uses a part")]

use hotfire_device::{
    Config, Device, Direction, Function, LaunchAttributes, LaunchConfig, Mode, Module, Status, Stream,
};
use std::sync::Arc;

pub struct Fixture {
    pub device: &'static Device,
    pub module: Arc<Module>,
}

/// A device of its own, with two workers unless `HOTFIRE_WORKERS` says otherwise.
pub fn fixture() -> Fixture {
    let workers = if std::env::var_os("HOTFIRE_WORKERS").is_some() { None } else { Some(2) };
    fixture_with(Config { workers, memory: Some(4 << 30), ..Config::default() })
}

pub fn fixture_with(config: Config) -> Fixture {
    fixture_of(config, include_str!("../kernels/kernels.ptx"))
}

/// The same with other kernels.
pub fn fixture_of(config: Config, text: &str) -> Fixture {
    let device = Device::new(config);
    let mut module = hotfire_ptx::parse(text).unwrap();
    if device.is_checking() {
        module.texts = vec![text.into()];
    }
    let module = device.load_module(vec![module]).unwrap_or_else(|error| panic!("{error:?}"));
    Fixture { device, module }
}

/// A kernel parameter.
pub trait Parameter {
    fn bytes(self) -> Vec<u8>;
}

impl Parameter for i32 {
    fn bytes(self) -> Vec<u8> {
        self.to_ne_bytes().into()
    }
}

impl Parameter for u64 {
    fn bytes(self) -> Vec<u8> {
        self.to_ne_bytes().into()
    }
}

/// Packs parameters, each at the next multiple of its size.
#[macro_export]
macro_rules! parameters {
    ($($value:expr),* $(,)?) => {{
        #[allow(unused_mut, reason = "there may be none")]
        let mut block: Vec<u8> = Vec::new();
        $(
            let bytes = $crate::common::Parameter::bytes($value);
            block.resize(block.len().next_multiple_of(bytes.len()), 0);
            block.extend(bytes);
        )*
        block
    }};
}

impl Fixture {
    pub fn function(&self, name: &str) -> Arc<Function> {
        self.module.function(name).unwrap_or_else(|| panic!("no kernel {name}"))
    }

    pub fn try_launch(&self, name: &str, grid: u32, block: u32, stream: Stream, parameters: &[u8]) -> Status {
        let config = LaunchConfig {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            dynamic_shared: 0,
            stream,
            handle: 0,
            attributes: LaunchAttributes::default(),
        };
        self.device.launch(&self.function(name), &config, parameters)
    }

    pub fn launch(&self, name: &str, grid: u32, block: u32, parameters: &[u8]) {
        assert_eq!(self.try_launch(name, grid, block, Stream::LEGACY, parameters), Status::SUCCESS, "{name}");
    }

    /// Launches and synchronises.
    pub fn run(&self, name: &str, grid: u32, block: u32, parameters: &[u8]) {
        self.launch(name, grid, block, parameters);
        assert_eq!(self.device.synchronize(), Status::SUCCESS, "{name}");
    }

    pub fn address(&self, variable: &str) -> u64 {
        self.module.global(variable).unwrap_or_else(|| panic!("no variable {variable}")).0
    }

    /// Reads through a synchronous copy.
    pub fn read<T: Copy + Default>(&self, address: u64, count: usize) -> Vec<T> {
        let mut values = vec![T::default(); count];
        let bytes = size_of_val(&*values) as u64;
        // SAFETY: the vector is that long.
        let status = unsafe {
            let to = values.as_mut_ptr() as u64;
            self.device.copy(to, address, bytes, Direction::DeviceToHost, Stream::LEGACY, Mode::Sync)
        };
        assert_eq!(status, Status::SUCCESS);
        values
    }

    pub fn write<T: Copy>(&self, address: u64, values: &[T]) {
        // SAFETY: the slice is that long.
        let status = unsafe {
            let from = values.as_ptr() as u64;
            let bytes = size_of_val(values) as u64;
            self.device.copy(address, from, bytes, Direction::HostToDevice, Stream::LEGACY, Mode::Sync)
        };
        assert_eq!(status, Status::SUCCESS);
    }

    pub fn int(&self, variable: &str) -> i32 {
        self.read(self.address(variable), 1)[0]
    }

    pub fn ints(&self, variable: &str, count: usize) -> Vec<i32> {
        self.read(self.address(variable), count)
    }

    /// What kernels noted, in order.
    pub fn order(&self) -> Vec<i32> {
        let count = self.int("order_count") as usize;
        self.ints("order", count)
    }

    /// Zeroes what kernels count.
    pub fn clear(&self) {
        for variable in ["order_count", "launched", "dropped", "last_code", "gate"] {
            self.write(self.address(variable), &[0i32]);
        }
    }
}
