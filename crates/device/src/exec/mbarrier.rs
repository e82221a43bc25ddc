//! `mbarrier` objects (PTX ISA, section 9.7.13.15): barriers in shared memory that count arrivals and transactions, phase by phase.
//!
//! An object is a word of 64 bits whose inside is ours. A phase is over when nobody is missing and no transaction is outstanding;
//! the next one begins at that moment. Who arrived gets the word as it was: the state that a wait for that phase takes.

use super::block::Block;
use super::fiber::Fiber;
use super::runtime::check_access;
use super::{checked, context};
use hotfire_check::Phase;
use hotfire_jit::abi::{ThreadContext, access, mbarrier as code};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bits of a count of arrivals.
const COUNT: u32 = 20;
const COUNTS: u64 = code::PENDING;
/// Bits of the count of transactions, which has a sign.
const TRANSACTIONS: u32 = 21;

/// An object, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Object {
    /// Arrivals that are missing.
    pending: u64,
    /// Arrivals that a phase takes.
    expected: u64,
    /// Transactions that are outstanding; below zero for those that came before they were expected.
    transactions: i64,
    /// Phases that are over, the last few bits of it.
    phase: u64,
}

impl Object {
    fn new(count: u64) -> Object {
        let count = count & COUNTS;
        Object { pending: count, expected: count, transactions: 0, phase: 0 }
    }

    fn of(word: u64) -> Object {
        let signed = 64 - TRANSACTIONS;
        Object {
            pending: word & COUNTS,
            expected: word >> COUNT & COUNTS,
            transactions: ((word >> (2 * COUNT) << signed) as i64) >> signed,
            phase: word >> (2 * COUNT + TRANSACTIONS),
        }
    }

    fn word(self) -> u64 {
        let transactions = self.transactions as u64 & ((1 << TRANSACTIONS) - 1);
        self.pending | self.expected << COUNT | transactions << (2 * COUNT) | self.phase << (2 * COUNT + TRANSACTIONS)
    }

    fn arrive(&mut self, count: u64) {
        self.pending = self.pending.saturating_sub(count);
    }

    fn drop(&mut self) {
        self.expected = self.expected.saturating_sub(1);
    }

    /// Begins the next phase if this one is over. True if it was.
    fn settle(&mut self) -> bool {
        let over = self.pending == 0 && self.transactions == 0;
        if over {
            self.pending = self.expected;
            self.phase += 1;
        }
        over
    }

    /// Applies an operation that changes the object. True if a phase is over.
    fn apply(&mut self, operation: u32, operand: u64) -> bool {
        match operation {
            code::INIT => *self = Object::new(operand),
            code::INVALIDATE => *self = Object::new(0),
            code::ARRIVE => self.arrive(operand),
            code::ARRIVE_DROP => {
                self.drop();
                self.arrive(operand);
            }
            code::EXPECT => self.transactions += operand as i64,
            code::COMPLETE => self.transactions -= operand as i64,
            code::ARRIVE_EXPECT | code::ARRIVE_DROP_EXPECT => {
                self.transactions += operand as i64;
                if operation == code::ARRIVE_DROP_EXPECT {
                    self.drop();
                }
                self.arrive(1);
            }
            _ => {}
        }
        !matches!(operation, code::INIT | code::INVALIDATE | code::EXPECT) && self.settle()
    }

    /// Is the phase of this parity over?
    fn is_over(self, parity: u64) -> bool {
        self.phase & 1 != parity & 1
    }
}

/// [`hotfire_jit::abi::Runtime::mbarrier`]
pub(super) unsafe extern "C-unwind" fn mbarrier(
    context: *mut ThreadContext,
    address: u64,
    operation: u32,
    operand: u64,
    _site: u32,
) -> u64 {
    let (relaxed, operation) = (operation & code::RELAXED != 0, operation & !code::RELAXED);
    // SAFETY: called by generated code with the address of an aligned word that the thread may access; no reference to the block is
    // held across the switch.
    unsafe {
        let word = &*(address as *const AtomicU64);
        if operation < code::TEST {
            let mut over = false;
            let change = |before: u64| {
                let mut object = Object::of(before);
                over = object.apply(operation, operand);
                Some(object.word())
            };
            let before = word.fetch_update(Ordering::AcqRel, Ordering::Acquire, change).unwrap_or_else(|word| word);
            let phase = match operation {
                code::INIT | code::INVALIDATE => Some(Phase::Begins),
                _ if relaxed => over.then_some(Phase::Over { arrives: false }),
                _ if over => Some(Phase::Over { arrives: true }),
                _ => Some(Phase::Arrives),
            };
            order(context, address, phase);
            return before;
        }
        let parity = match operation {
            code::TEST | code::TRY => Object::of(operand).phase,
            _ => operand,
        };
        let is_over = || Object::of(word.load(Ordering::Acquire)).is_over(parity);
        let mut over = is_over();
        if !over && matches!(operation, code::TRY | code::TRY_PARITY) {
            context::yield_now(context);
            over = is_over();
        }
        if over && !relaxed {
            order(context, address, Some(Phase::Waited));
        }
        u64::from(over)
    }
}

/// Tells the checker what this means for who knows what.
///
/// # Safety
/// `context` is that of the running thread.
pub(super) unsafe fn order(context: *mut ThreadContext, address: u64, phase: Option<Phase>) {
    let Some(phase) = phase else { return };
    // SAFETY: the context is that of the running thread; the worker holds the checker.
    unsafe {
        let block = (*context.cast::<Fiber>()).block;
        let Block { order, checker, .. } = &mut *block;
        if let (Some(order), Some(checker)) = (order.as_deref_mut(), checker.as_mut()) {
            let (thread, time) = ((*context).linear as u16, (*context).segment);
            (*context).segment = checker.mbarrier(order, thread, time, address, phase);
        }
    }
}

/// [`hotfire_jit::abi::Runtime::copy_part`]
pub(super) unsafe extern "C-unwind" fn copy_part(
    context: *mut ThreadContext,
    to: u64,
    from: u64,
    count: u32,
    size: u32,
    site: u32,
    number: u32,
) {
    let mut bytes = [0u8; 16];
    let (count, size) = (count.min(size).min(16) as usize, size.min(16) as usize);
    // SAFETY: called by generated code; where it writes was checked, where it reads is checked here, before it is read.
    unsafe {
        if count > 0 {
            check_access(context, from, count as u32, access::READ | access::GLOBAL, site);
            checked::loads(context, from, count as u32, number);
            std::ptr::copy_nonoverlapping(from as *const u8, bytes.as_mut_ptr(), count);
        }
        checked::stores(context, to, &bytes[..size], number);
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), to as *mut u8, size);
    }
}

/// [`hotfire_jit::abi::Runtime::copy_bulk`]
pub(super) unsafe extern "C-unwind" fn copy_bulk(
    context: *mut ThreadContext,
    to: u64,
    from: u64,
    size: u32,
    object: u64,
    site: u32,
    number: u32,
) {
    // SAFETY: called by generated code, which checked the first bytes of both ranges; the rest is looked at here, before it is touched.
    unsafe {
        for at in (0..u64::from(size)).step_by(16) {
            let count = 16.min(u64::from(size) - at) as u32;
            let mut bytes = [0u8; 16];
            check_access(context, from + at, count, access::READ, site);
            check_access(context, to + at, count, access::WRITE, site);
            checked::loads(context, from + at, count, number);
            std::ptr::copy_nonoverlapping((from + at) as *const u8, bytes.as_mut_ptr(), count as usize);
            checked::stores(context, to + at, &bytes[..count as usize], number);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), (to + at) as *mut u8, count as usize);
        }
        // Whoever waits for the phase sees what was copied.
        if object != 0 {
            mbarrier(context, object, code::COMPLETE, size.into(), site);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_all_parts() {
        for transactions in [0, 1, -1, (1 << 20) - 1, 1 - (1 << 20)] {
            let object = Object { pending: COUNTS - 1, expected: COUNTS, transactions, phase: 5 };
            assert_eq!(Object::of(object.word()), object);
        }
    }

    #[test]
    fn a_phase_takes_arrivals_and_transactions() {
        let mut object = Object::new(2);
        let first = object;
        assert!(!object.apply(code::ARRIVE, 1));
        assert!(!object.apply(code::ARRIVE_EXPECT, 64), "64 bytes are missing");
        assert!(!object.is_over(first.phase));
        assert!(!object.apply(code::COMPLETE, 60));
        assert!(object.apply(code::COMPLETE, 4));
        assert!(object.is_over(first.phase) && object.is_over(0) && !object.is_over(1));
        // One leaves for good: the next phase takes it, those behind do not.
        assert!(!object.apply(code::ARRIVE_DROP, 1));
        assert!(object.apply(code::ARRIVE, 1));
        assert_eq!((object.pending, object.expected), (1, 1));
        assert!(object.apply(code::ARRIVE, 1));
        assert!(object.is_over(0));
    }
}
