//! Copies and reductions in bulk, and asynchronous stores and reductions of single values (PTX ISA, sections 9.7.9.12, 9.7.9.25 and
//! 9.7.13.6): all are done at once, as in [`super::mbarrier`], and then counted by an object.

use super::mbarrier::WIDEST;
use super::{Emit, Result, clif};
use crate::abi::{access, cluster, mbarrier};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use hotfire_ptx::ast::{Instruction, Space, Type};

const OBJECT: u32 = access::READ | access::WRITE | access::ATOMIC;

impl Emit<'_, '_> {
    /// `cp.async.bulk [to], [from], size, [object] {, blocks}`, or without an object from shared to global memory.
    pub(super) fn copy_bulk(&mut self, i: &Instruction) -> Result<()> {
        let to = self.place(i, 0, WIDEST, access::WRITE)?;
        let from = self.place_in(i, 1, WIDEST, access::READ, i.modifiers.source_space)?;
        let size = self.source(i, 2, Type::U32)?;
        let object = self.counting_object(i)?;
        if i.modifiers.hints.iter().any(|hint| &**hint == "multicast::cluster") {
            let blocks = self.source(i, 4, Type::U16)?;
            return self.copy_to_blocks(to, from, size, object, blocks);
        }
        self.copy_all(to, from, size, object);
        Ok(())
    }

    fn copy_all(&mut self, to: Value, from: Value, size: Value, object: Value) {
        let (context, site, number) = (self.context, self.site_value(), self.check_site());
        let function = self.unit.options.runtime.copy_bulk as usize;
        self.runtime(function, None, &[context, to, from, size, object, site, number]);
    }

    /// To the same places in shared memory of each block of the cluster whose rank's bit is set, counted by the object at the same place.
    fn copy_to_blocks(&mut self, to: Value, from: Value, size: Value, object: Value, blocks: Value) -> Result<()> {
        let blocks = self.fit(blocks, types::I32, false);
        let rank = self.f.declare_var(types::I32);
        let zero = self.word(0);
        self.f.def_var(rank, zero);
        let [head, copy, next, after] = [(); 4].map(|()| self.f.create_block());
        self.f.ins().jump(head, &[]);
        self.f.switch_to_block(head);
        let at = self.f.use_var(rank);
        let bit = self.f.ins().ushr(blocks, at);
        let bit = self.f.ins().band_imm_u(bit, 1);
        self.f.ins().brif(bit, copy, &[], next, &[]);
        self.f.switch_to_block(copy);
        let place = self.f.ins().iadd_imm_u(at, 1);
        let window = self.window_at(place);
        let [to, object] = [to, object].map(|place| {
            // Windows lie at multiples of 4 GiB.
            let offset = self.f.ins().band_imm_u(place, i64::from(u32::MAX));
            self.f.ins().iadd(window, offset)
        });
        self.copy_all(to, from, size, object);
        self.f.ins().jump(next, &[]);
        self.f.switch_to_block(next);
        let at = self.f.ins().iadd_imm_u(at, 1);
        self.f.def_var(rank, at);
        let more = self.f.ins().icmp_imm_u(IntCC::UnsignedLessThan, at, i64::from(cluster::LARGEST));
        self.f.ins().brif(more, head, &[], after, &[]);
        self.f.switch_to_block(after);
        Ok(())
    }

    /// `cp.reduce.async.bulk [to], [from], size {, [object]}`: an atomic operation for each element.
    pub(super) fn reduce_bulk(&mut self, i: &Instruction) -> Result<()> {
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        let to = self.place(i, 0, WIDEST, OBJECT)?;
        let from = self.place_in(i, 1, WIDEST, access::READ, i.modifiers.source_space)?;
        let size = self.source(i, 2, Type::U32)?;
        let object = self.counting_object(i)?;
        let wide = self.f.ins().uextend(types::I64, size);
        let distance = self.f.declare_var(types::I64);
        let zero = self.f.ins().iconst(types::I64, 0);
        self.f.def_var(distance, zero);
        let [head, body, after] = [(); 3].map(|()| self.f.create_block());
        self.f.ins().jump(head, &[]);
        self.f.switch_to_block(head);
        let at = self.f.use_var(distance);
        let more = self.f.ins().icmp(IntCC::UnsignedLessThan, at, wide);
        self.f.ins().brif(more, body, &[], after, &[]);
        self.f.switch_to_block(body);
        let (source, target) = (self.f.ins().iadd(from, at), self.f.ins().iadd(to, at));
        self.checked(source, ty.size(), access::READ);
        self.checked(target, ty.size(), OBJECT);
        self.check_read(i, 1, source, ty.size());
        let operand = self.f.ins().load(clif(ty), MemFlagsData::new(), source, 0);
        self.atomic_at(i, 0, target, operand, None)?;
        let at = self.f.ins().iadd_imm_u(at, i64::from(ty.size()));
        self.f.def_var(distance, at);
        self.f.ins().jump(head, &[]);
        self.f.switch_to_block(after);
        if i.modifiers.space != Some(Space::Global) {
            self.on_object(object, mbarrier::COMPLETE, wide);
        }
        Ok(())
    }

    /// `st.async [to], values, [object]`
    pub(super) fn store_async(&mut self, i: &Instruction) -> Result<()> {
        self.store(i)?;
        let Some(&ty) = i.types.first() else { return self.unsupported(i, "it has no type") };
        self.complete(i, 2, ty.size() * u32::from(i.modifiers.vector.max(1)))
    }

    /// So many bytes are there: the object that operand `n` names counts them.
    pub(super) fn complete(&mut self, i: &Instruction, n: usize, bytes: u32) -> Result<()> {
        let object = self.place_in(i, n, 8, OBJECT, i.modifiers.space)?;
        let bytes = self.f.ins().iconst(types::I64, i64::from(bytes));
        self.on_object(object, mbarrier::COMPLETE, bytes);
        Ok(())
    }

    /// The object that counts a transfer; zero for those to global memory.
    fn counting_object(&mut self, i: &Instruction) -> Result<Value> {
        if i.modifiers.space == Some(Space::Global) {
            return Ok(self.f.ins().iconst(types::I64, 0));
        }
        self.place_in(i, 3, 8, OBJECT, i.modifiers.space)
    }
}
