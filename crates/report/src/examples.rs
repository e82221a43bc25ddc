//! A hand-made report for the tests of this crate: a race with two sides and everything else that a finding can have, a fault with one
//! side in PTX, and a note with no place.

use hotfire_check::{
    Access, Action, Bytes, Consequence, Finding, Frame, Launch, Lost, Place, Pool, Report, Rule, Summary, Thread,
};

/// The program of the race.
pub const SOURCE: &str = "\
__global__ void child(int* p) {
    p[threadIdx.x] = 1;
}

__global__ void parent(int* p, int* out) {
    child<<<1, 32, 0, cudaStreamFireAndForget>>>(p);
    __syncthreads();
    *out = p[0];
}

int main() {
    parent<<<1, 1>>>(p, out);
}
";

pub fn report() -> Report {
    let summary = Summary {
        host_launches: 3,
        device_launches: 2100,
        pool: Pool {
            size: 2048,
            high_water: 2048,
            worst_case: 2100,
            lost: vec![Lost { kernel: "step(int*)".into(), count: 52, noticed: 0 }],
        },
        suppressed: 0,
        schedules: vec!["eager".into()],
        shadow: None,
        notes: vec![],
    };
    Report { version: 1, findings: vec![race(), bounds(), note()], summary }
}

fn line(file: &str, line: u32, function: &str) -> Place {
    Place { file: Some(file.into()), line: Some(line), function: Some(function.into()), ..Place::default() }
}

fn device(kernel: &str, grid: u64, thread: [u32; 3]) -> Thread {
    Thread::Device { kernel: kernel.into(), grid, block: [0, 0, 0], thread }
}

fn from_main() -> Launch {
    Launch {
        what: "parent(int*, int*)<<<(1,1,1), (1,1,1)>>>".into(),
        stream: "legacy default stream".into(),
        by: Thread::Host,
        place: None,
        stack: vec![Frame { function: "main".into(), file: Some("race.cu".into()), line: Some(12) }],
    }
}

pub fn race() -> Finding {
    let bytes = |size| Some(Bytes { allocation: "cudaMalloc #1 (128 bytes)".into(), offset: 0, size });
    let read = Access {
        action: Action::Read,
        bytes: bytes(4),
        thread: device("parent(int*, int*)", 1, [0, 0, 0]),
        place: Some(line("race.cu", 8, "parent(int*, int*)")),
        launches: vec![from_main()],
        stack: vec![],
    };
    let launched = Launch {
        what: "child(int*)<<<(1,1,1), (32,1,1)>>>".into(),
        stream: "fire-and-forget".into(),
        by: device("parent(int*, int*)", 1, [0, 0, 0]),
        place: Some(line("race.cu", 6, "parent(int*, int*)")),
        stack: vec![],
    };
    let write = Access {
        action: Action::Write,
        bytes: bytes(4),
        thread: device("child(int*)", 2, [0, 0, 0]),
        place: Some(line("race.cu", 2, "child(int*)")),
        launches: vec![launched, from_main()],
        stack: vec![],
    };
    Finding {
        count: 3,
        accesses: vec![read, write],
        edge: Some("no edge orders (1) before (2): a parent cannot wait for its child".into()),
        help: vec!["move the read into a kernel launched on cudaStreamTailLaunch".into()],
        notes: vec!["__syncthreads() does not wait for child grids".into()],
        consequences: vec![Consequence {
            rule: Rule::MemoryUninitialised,
            message: "the read found bytes that nothing had written yet".into(),
            place: Some(line("race.cu", 8, "parent(int*, int*)")),
        }],
        hardware: Some("an H200 shows it when the child starts late".into()),
        replay: Some("eager".into()),
        ..Finding::new(Rule::RaceParentChild, "parent reads (2) what its child writes (1), and nothing orders the two")
    }
}

/// Its module has no line table; its file, named by the host's frames, is not there.
fn bounds() -> Finding {
    let access = Access {
        action: Action::Write,
        bytes: Some(Bytes { allocation: "cudaMalloc #2 (64 bytes)".into(), offset: 64, size: 1 }),
        thread: device("fill(char*)", 3, [31, 0, 0]),
        place: Some(Place {
            function: Some("fill(char*)".into()),
            ptx_line: Some(41),
            ptx: Some("\tst.global.u8 \t[%rd4], %rs1;".into()),
            ..Place::default()
        }),
        launches: vec![],
        stack: vec![],
    };
    Finding {
        accesses: vec![access],
        ..Finding::new(Rule::MemoryBounds, "a write of 1 byte just behind the allocation")
    }
}

fn note() -> Finding {
    Finding { count: 1000, ..Finding::new(Rule::AdviceStorm, "10000 launches of tiny(int*) with 8 threads' work each") }
}
