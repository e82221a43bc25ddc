//! Device-side `assert` (CUDA Programming Guide, "Assertion"): the message on stderr, then error 710.

use super::arguments::{Arguments, Caller};
use crate::exec;
use hotfire_jit::abi::{Fault, ThreadContext};

/// Most bytes of one string of the message.
const MOST_TEXT: usize = 1 << 12;

/// `void __assertfail(const char* message, const char* file, unsigned line, const char* function, size_t character_size)`
pub(super) unsafe extern "C-unwind" fn assertfail(context: *mut ThreadContext, arguments: *const u8, _result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (message, file, line): (u64, u64, u32) = (arguments.next(), arguments.next(), arguments.next());
        let function: u64 = arguments.next();
        let caller = Caller(context);
        let block = (*(*context).block).ctaid;
        let thread = (*context).tid;
        exec::on_worker_stack(context, || {
            let text =
                |address| String::from_utf8_lossy(&caller.text(address, MOST_TEXT).unwrap_or_default()).into_owned();
            eprintln!(
                "{}:{line}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.",
                text(file),
                text(function),
                block[0],
                block[1],
                block[2],
                thread[0],
                thread[1],
                thread[2],
                text(message),
            );
        });
        exec::fault(context, Fault::Assert, 0);
    }
}
