//! Device-side `printf`: text is kept until the host synchronises (CUDA Programming Guide, "Formatted output").

use super::arguments::{Arguments, Caller};
use super::format::Format;
use hotfire_jit::abi::{ThreadContext, access};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::ffi::CString;

/// Bytes that one record takes besides its text.
const RECORD: u64 = 16;
/// Default size of the FIFO in bytes. launch-model.md section 2.7.
const LIMIT: u64 = 8_650_752;
/// Most bytes of a format or of a string argument.
const MOST_TEXT: usize = 1 << 16;

struct Fifo {
    records: VecDeque<Vec<u8>>,
    bytes: u64,
    limit: u64,
}

/// The printf FIFO: when it is full, the oldest output is lost.
pub(crate) struct Printf {
    fifo: Mutex<Fifo>,
    output: fn(&[u8]),
}

impl Printf {
    pub fn new(output: Option<fn(&[u8])>) -> Self {
        let fifo = Fifo { records: VecDeque::new(), bytes: 0, limit: LIMIT };
        Self { fifo: Mutex::new(fifo), output: output.unwrap_or(to_stdout) }
    }

    /// The size of the FIFO in bytes.
    pub fn set_limit(&self, bytes: u64) {
        self.fifo.lock().limit = bytes;
    }

    fn push(&self, text: Vec<u8>) {
        let mut fifo = self.fifo.lock();
        fifo.bytes += text.len() as u64 + RECORD;
        fifo.records.push_back(text);
        while fifo.bytes > fifo.limit
            && let Some(lost) = fifo.records.pop_front()
        {
            fifo.bytes -= lost.len() as u64 + RECORD;
        }
    }

    /// Writes what there is.
    pub fn flush(&self) {
        // Under the lock, so that two host threads that synchronise keep the order.
        let mut fifo = self.fifo.lock();
        if fifo.records.is_empty() {
            return;
        }
        fifo.bytes = 0;
        let text: Vec<u8> = fifo.records.drain(..).flatten().collect();
        (self.output)(&text);
    }
}

/// C's standard output, whose buffer the program's own output goes through too.
fn to_stdout(text: &[u8]) {
    unsafe extern "C" {
        static stdout: *mut libc::FILE;
    }
    // SAFETY: C's stream, which locks itself.
    unsafe {
        libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout);
        libc::fflush(stdout);
    }
}

/// `int vprintf(const char* format, void* arguments)`: the number of arguments, -1 for a null format.
pub(super) unsafe extern "C-unwind" fn vprintf(context: *mut ThreadContext, arguments: *const u8, result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (format, values): (u64, u64) = (arguments.next(), arguments.next());
        let caller = Caller(context);
        if format == 0 {
            result.cast::<i32>().write(-1);
            return;
        }
        caller.check(format, 1, access::READ);
        // A null pointer is what the compiler passes for no arguments.
        let mut parsed: *mut Format = std::ptr::null_mut();
        let mut needed = 0u32;
        caller.answer((&raw mut needed).cast(), |_, _| {
            let format = Format::parse(&caller.text(format, MOST_TEXT).unwrap_or_default());
            let bytes = format.buffer_bytes() as u32;
            parsed = Box::into_raw(Box::new(format));
            bytes
        });
        // A fault here leaks the parsed format, once: the grid is over.
        if needed > 0 {
            caller.check(values, 1, access::READ);
            caller.check(values + u64::from(needed) - 1, 1, access::READ);
        }
        caller.answer(result, |grid, _| {
            let format = Box::from_raw(parsed);
            let buffer = if needed == 0 { &[][..] } else { caller.readable(values) };
            let buffer = buffer.get(..needed as usize).unwrap_or_default().to_vec();
            let string = |offset: usize| {
                let address = buffer.get(offset..offset + 8).and_then(|bytes| bytes.try_into().ok());
                let address = address.map_or(0, u64::from_le_bytes);
                let text = if address == 0 { None } else { caller.text(address, MOST_TEXT) };
                CString::new(text.unwrap_or_else(|| b"(null)".to_vec())).unwrap_or_default()
            };
            let strings: Vec<CString> = format.texts().map(string).collect();
            grid.device.printf.push(format.print(&buffer, &strings));
            format.arguments() as i32
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

    #[test]
    fn a_full_fifo_loses_the_oldest() {
        let printf = Printf::new(Some(|text| OUTPUT.lock().unwrap().extend_from_slice(text)));
        printf.set_limit(60);
        for number in 0..5 {
            printf.push(format!("line {number}\n").into_bytes());
        }
        printf.flush();
        printf.flush();
        assert_eq!(*OUTPUT.lock().unwrap(), b"line 3\nline 4\n");
    }
}
