//! Reads of shared memory that teach the checker nothing, seen without calling it.
//!
//! Tiles are read many times between two barriers, and the shadow keeps two readers of a word. If both read it since the last barrier
//! they stand for every other thread of the block that does; if the thread itself is one of them, there is nothing to add. Either way
//! its writer must be one that the barrier made known to all. The same as `BlockOrder::fast_shared` of the checker says.

use super::Emit;
use crate::abi::{BlockContext, ThreadContext, stamp};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use std::mem::{offset_of, size_of};

/// The stamps of one word.
#[derive(Clone, Copy)]
struct Word {
    writer: Value,
    readers: [Value; 2],
}

/// Bytes of shared memory that a word of the shadow tells of.
const BYTES: u32 = 4;
/// Accesses up to this size are looked at here.
pub(super) const WIDEST: u32 = 16;

impl Emit<'_, '_> {
    /// Code that follows is for weak reads of `size` bytes (aligned, of whole words) at `address`, in the block's shared window, that the checker
    /// must see. The others go on at the block that is returned.
    pub(super) fn unless_read_before(&mut self, address: Value, size: u32) -> Block {
        let [look, first, slow, after] = [(); 4].map(|()| self.f.create_block());
        self.f.set_cold_block(slow);
        self.f.set_cold_block(first);
        let window = self.window();
        let offset = self.f.ins().isub(address, window);
        let watched = self.of_block(types::I64, offset_of!(BlockContext, watched));
        let last = self.f.ins().iadd_imm_s(offset, i64::from(size - BYTES));
        let inside = self.f.ins().icmp(IntCC::UnsignedLessThan, last, watched);
        self.f.ins().brif(inside, look, &[], slow, &[]);

        self.f.switch_to_block(look);
        let shadow = self.of_block(types::I64, offset_of!(BlockContext, shadow));
        let distance = self.f.ins().imul_imm_u(offset, i64::from(size_of::<[u64; 3]>() as u32 / BYTES));
        let cells = self.f.ins().iadd(shadow, distance);
        let flags = MemFlagsData::trusted();
        let mut load = |at: u32| self.f.ins().load(types::I64, flags, cells, at as i32);
        let words: Vec<Word> = (0..size / BYTES)
            .map(|word| word * size_of::<[u64; 3]>() as u32)
            .map(|at| Word { writer: load(at), readers: [load(at + 8), load(at + 16)] })
            .collect();
        let met = self.f.ins().load(types::I64, flags, self.block, offset_of!(BlockContext, met) as i32);
        // The thread's time as a stamp: the field in front of it is 0.
        let now = self.f.ins().load(types::I64, flags, self.context, offset_of!(ThreadContext, zero) as i32);

        // Written as a whole, and known to all; by two readers of this moment, both weak.
        let known = self.all(&words, |e, word| e.f.ins().icmp(IntCC::UnsignedLessThan, word.writer, met));
        let wrong = self.any_bit(&words, |e, word| {
            let differs = word.readers.map(|reader| e.f.ins().bxor(reader, now));
            let differs = e.f.ins().bor(differs[0], differs[1]);
            let differs = e.f.ins().band_imm_s(differs, (TIME | stamp::STRENGTH) as i64);
            let missing = e.missing(word);
            e.f.ins().bor(differs, missing)
        });
        let read = self.f.ins().icmp_imm_s(IntCC::Equal, wrong, 0);
        let nothing_new = self.f.ins().band(known, read);
        self.f.ins().brif(nothing_new, after, &[], first, &[]);

        // Or by this thread before, at this moment.
        self.f.switch_to_block(first);
        let thread = self.f.ins().load(types::I32, flags, self.context, offset_of!(ThreadContext, linear) as i32);
        let thread = self.f.ins().uextend(types::I64, thread);
        let thread = self.f.ins().ishl_imm_u(thread, i64::from(stamp::THREAD));
        let now = self.f.ins().bor(now, thread);
        let wrong = self.any_bit(&words, |e, word| {
            let differs = e.f.ins().bxor(word.readers[0], now);
            let differs = e.f.ins().band_imm_s(differs, (TIME | THREAD) as i64);
            let strong = e.f.ins().bor(word.readers[0], word.readers[1]);
            let strong = e.f.ins().band_imm_s(strong, stamp::STRENGTH as i64);
            let differs = e.f.ins().bor(differs, strong);
            let missing = e.missing(word);
            e.f.ins().bor(differs, missing)
        });
        let read = self.f.ins().icmp_imm_s(IntCC::Equal, wrong, 0);
        let nothing_new = self.f.ins().band(known, read);
        self.f.ins().brif(nothing_new, after, &[], slow, &[]);

        self.f.switch_to_block(slow);
        after
    }

    /// Not zero if only some bytes of the word were written.
    fn missing(&mut self, word: Word) -> Value {
        let not = self.f.ins().bnot(word.writer);
        self.f.ins().band_imm_s(not, stamp::WHOLE as i64)
    }

    fn all(&mut self, words: &[Word], mut test: impl FnMut(&mut Self, Word) -> Value) -> Value {
        let tests: Vec<Value> = words.iter().map(|&word| test(self, word)).collect();
        tests.into_iter().reduce(|a, b| self.f.ins().band(a, b)).expect("at least one word")
    }

    fn any_bit(&mut self, words: &[Word], mut bits: impl FnMut(&mut Self, Word) -> Value) -> Value {
        let bits: Vec<Value> = words.iter().map(|&word| bits(self, word)).collect();
        bits.into_iter().reduce(|a, b| self.f.ins().bor(a, b)).expect("at least one word")
    }
}

/// The time of a stamp.
const TIME: u64 = u64::MAX << stamp::TIME;
/// Its thread.
const THREAD: u64 = TIME >> (stamp::TIME - stamp::THREAD) & !TIME;
const _: () = assert!(stamp::THREAD < stamp::TIME);
const _: () = assert!(
    offset_of!(ThreadContext, zero).is_multiple_of(8)
        && offset_of!(ThreadContext, segment) == offset_of!(ThreadContext, zero) + 4
);
