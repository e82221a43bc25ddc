//! Who is who: threads, places and launches as a finding shows them.

use super::Checking;
use crate::engine::Grid;
use crate::exec;
use hotfire_check::{Access, Action, Place, Thread};
use hotfire_jit::abi::ThreadContext;
use hotfire_ptx::ast::Location;

impl Checking {
    /// The calling device thread, as one side of a finding. The place is that of the call or access it is at.
    ///
    /// # Safety
    /// `context` is what generated code passed to the calling function.
    pub unsafe fn thread(&self, context: *mut ThreadContext, action: Action) -> Access {
        // SAFETY: the caller's promise; the grid has a block that runs.
        let (grid, block, thread) = unsafe {
            let grid = Grid::from_owner(exec::owner(context));
            (grid, (*(*context).block).ctaid, (*context).tid)
        };
        self.device_side(grid, block, thread, None, action)
    }

    /// A device thread as one side of a finding.
    pub fn device_side(
        &self,
        grid: &Grid,
        block: [u32; 3],
        thread: [u32; 3],
        location: Option<Location>,
        action: Action,
    ) -> Access {
        Access {
            action,
            bytes: None,
            thread: Thread::Device { kernel: grid.function.name().to_owned(), grid: grid.code.gridid, block, thread },
            place: location.map(|location| self.place(grid, location)),
            launches: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// A place in a kernel's text.
    pub fn place(&self, grid: &Grid, location: Location) -> Place {
        Place {
            file: None,
            line: location.source.map(|source| source.line),
            function: Some(grid.function.name().to_owned()),
            ptx_line: Some(location.line),
            ptx: None,
        }
    }
}
