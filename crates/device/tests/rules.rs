//! Rules about launches, handles, private pointers, the heap and parameters: each broken once, and once not.

mod common;

use common::{Fixture, fixture_of};
use hotfire_check::{Finding, Place, Report, Rule, Severity, Thread};
use hotfire_device::{Config, Limit, Status, Stream};

const KERNELS: &str = include_str!("kernels/rules.ptx");

fn checked() -> Fixture {
    fixture_of(Config { memory: Some(1 << 30), check: true, ..Config::default() }, KERNELS)
}

fn latest() -> Fixture {
    let policy = Some(hotfire_launch::Policy::Latest);
    fixture_of(Config { memory: Some(1 << 30), check: true, policy, ..Config::default() }, KERNELS)
}

/// Rules of all findings that are no notes, in order.
fn rules(report: &Report) -> Vec<Rule> {
    report.findings.iter().filter(|f| f.severity != Severity::Note).map(|f| f.rule).collect()
}

fn find(report: &Report, rule: Rule) -> &Finding {
    report.findings.iter().find(|f| f.rule == rule).unwrap_or_else(|| panic!("no {rule} in {report:#?}"))
}

fn source_line(text: &str) -> u32 {
    let source = include_str!("kernels/rules.cu");
    source.lines().position(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text}")) as u32 + 1
}

/// Runs a kernel and expects these rules, besides what was found before. The report has the new findings only.
fn expect(f: &Fixture, kernel: &str, grid: u32, block: u32, parameters: &[u8], expected: &[Rule]) -> Report {
    let before = f.device.findings().findings.len();
    f.launch(kernel, grid, block, parameters);
    let _ = f.device.synchronize();
    let mut report = f.device.findings();
    report.findings.drain(..before);
    assert_eq!(rules(&report), expected, "{kernel}: {report:#?}");
    report
}

fn place(finding: &Finding) -> &Place {
    finding.accesses[0].place.as_ref().unwrap()
}

#[test]
fn launches_beyond_the_pool_are_lost_unless_their_thread_looks() {
    let report = expect(&checked(), "_Z5tailsi", 1, 1, &parameters!(2100), &[Rule::LaunchPool, Rule::LaunchLostError]);
    let pool = find(&report, Rule::LaunchPool);
    assert_eq!(pool.count, 52);
    assert!(pool.help[0].contains("cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 2100)"), "{pool:#?}");
    let lost = find(&report, Rule::LaunchLostError);
    assert_eq!(lost.count, 52);
    assert!(
        lost.message.contains("52 launches of `leaf` failed with cudaErrorLaunchPendingCountExceeded (69)"),
        "{lost:#?}"
    );
    assert_eq!(lost.notes, ["52 lost by block (0,0,0), thread (0,0,0) of tails"]);
    let at = place(lost);
    assert_eq!(
        (at.file.as_deref(), at.line),
        (Some("rules.cu"), Some(source_line("leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(i);")))
    );
    assert_eq!(at.function.as_deref(), Some("tails"));
    assert!(at.ptx.as_ref().is_some_and(|ptx| ptx.contains("call")), "{at:?}");
    let Thread::Device { kernel, grid: 1, block: [0, 0, 0], thread: [0, 0, 0] } = &lost.accesses[0].thread else {
        panic!("{lost:#?}");
    };
    assert_eq!(kernel, "tails");
    let launch = &lost.accesses[0].launches[0];
    assert_eq!(
        (&*launch.what, &*launch.stream, &launch.by),
        ("tails<<<(1,1,1), (1,1,1)>>>", "legacy default stream", &Thread::Host)
    );
    let pool = &report.summary.pool;
    assert_eq!((pool.size, pool.high_water, pool.worst_case), (2048, 2048, 2100));
    assert_eq!((pool.lost[0].kernel.as_str(), pool.lost[0].count, pool.lost[0].noticed), ("leaf", 52, 0));
    assert_eq!((report.summary.host_launches, report.summary.device_launches), (1, 2048));
}

#[test]
fn a_thread_that_looks_at_its_errors_loses_nothing() {
    let report = expect(&checked(), "_Z13tails_countedi", 1, 1, &parameters!(2100), &[Rule::LaunchPool]);
    assert_eq!(report.summary.pool.lost[0].noticed, 52);
}

#[test]
fn a_larger_pool_takes_them_all() {
    let f = checked();
    assert_eq!(f.device.set_limit(Limit::DevRuntimePendingLaunchCount, 4096), Status::SUCCESS);
    f.run("_Z5tailsi", 1, 1, &parameters!(2100));
    let report = f.device.findings();
    assert_eq!(rules(&report), []);
    let pool = &report.summary.pool;
    assert_eq!((pool.size, pool.high_water, pool.worst_case), (4096, 2100, 2100));
}

#[test]
fn the_worst_case_is_named_where_the_schedule_was_kind() {
    let report = expect(&checked(), "_Z4nesti", 1, 1, &parameters!(1000), &[]);
    assert_eq!((report.summary.pool.worst_case, report.summary.device_launches), (1000, 1000));
    let report = expect(&checked(), "_Z10tail_chaini", 1, 1, &parameters!(3000), &[]);
    assert_eq!(report.summary.pool.worst_case, 2);
    let f = latest();
    f.run("_Z6forgeti", 1, 1, &parameters!(4000));
    let report = f.device.findings();
    assert_eq!(rules(&report), [Rule::LaunchPool, Rule::LaunchLostError]);
    assert_eq!(report.summary.pool.worst_case, 4000);
}

#[test]
fn impossible_configurations() {
    let f = checked();
    let report = expect(&f, "_Z8too_widev", 2, 3, &[], &[Rule::LaunchConfig, Rule::LaunchLostError]);
    let config = find(&report, Rule::LaunchConfig);
    assert!(config.message.contains("has 2048; at most 1024"), "{config:#?}");
    // Thread 0 of each block looked.
    assert_eq!((config.count, find(&report, Rule::LaunchLostError).count), (6, 4));
    expect(&f, "_Z16too_wide_countedv", 2, 3, &[], &[Rule::LaunchConfig]);
}

#[test]
fn handles_belong_to_the_grid_that_made_them() {
    let f = checked();
    for (kernel, object) in [("_Z14foreign_streamv", "stream"), ("_Z13foreign_eventv", "event")] {
        let report = expect(&f, kernel, 1, 1, &[], &[Rule::StreamForeign]);
        let finding = find(&report, Rule::StreamForeign);
        assert!(finding.message.contains(object) && finding.message.contains("`foreign_"), "{finding:#?}");
        assert_eq!(finding.accesses.len(), 2);
        assert_eq!(finding.accesses[0].launches.len(), 2);
    }
    expect(&f, "_Z10own_streamv", 1, 1, &[], &[]);
}

#[test]
fn handles_do_not_cross_between_host_and_device() {
    let f = checked();
    let stream = f.device.stream_create(true, 0).unwrap();
    f.run("_Z10use_streamP11CUstream_st", 1, 1, &parameters!(stream.0));
    f.run("_Z11leak_streamv", 1, 1, &[]);
    let handle: u64 = f.read(f.address("handle"), 1)[0];
    assert_ne!(f.device.stream_synchronize(Stream(handle)), Status::SUCCESS);
    let report = f.device.findings();
    assert_eq!(rules(&report), [Rule::StreamForeign, Rule::StreamForeign]);
    assert!(
        report.findings[0].message.contains("of the host") && report.findings[1].message.starts_with("the host uses")
    );
}

#[test]
fn special_streams_have_no_events() {
    let f = checked();
    for kernel in ["_Z14special_recordv", "_Z12special_waitv"] {
        expect(&f, kernel, 1, 1, &[], &[Rule::StreamSpecial]);
    }
    expect(&f, "_Z13special_askedv", 1, 1, &[], &[]);
}

#[test]
fn private_pointers_do_not_leave_their_owner() {
    let f = checked();
    let global = f.device.malloc(1024).unwrap();
    f.run("_Z15public_pointersPi", 1, 32, &parameters!(global));
    assert_eq!(rules(&f.device.findings()), []);
    for (kernel, parameters, what) in [
        ("_Z14private_sharedv", vec![], "shared"),
        ("_Z14private_structi", parameters!(3), "local"),
        ("_Z14private_selectPii", parameters!(global, 1), "shared"),
        ("_Z14private_helperv", vec![], "local"),
        ("_Z12private_copyPi", parameters!(global), "shared"),
        ("_Z11private_setv", vec![], "local"),
    ] {
        let report = expect(&f, kernel, 1, 32, &parameters, &[Rule::PointerPrivate]);
        let fresh = find(&report, Rule::PointerPrivate);
        assert!(fresh.message.contains(what), "{fresh:#?}");
        assert_eq!(fresh.accesses[0].bytes.as_ref().unwrap().allocation, format!("{what} memory"));
    }
}

#[test]
fn a_full_heap_is_a_fault_only_where_nobody_looks() {
    let f = checked();
    f.run("_Z12heap_checkedv", 200, 1, &[]);
    assert!(f.int("lost") > 0);
    assert_eq!(rules(&f.device.findings()), []);
    for kernel in ["_Z14heap_uncheckedv", "_Z12heap_writtenv", "_Z13heap_too_latev"] {
        let f = checked();
        f.launch(kernel, 200, 1, &[]);
        assert_ne!(f.device.synchronize(), Status::SUCCESS);
        let report = f.device.findings();
        let heap = find(&report, Rule::MemoryHeap);
        assert_eq!(
            place(heap).line,
            Some(source_line(&format!("void {}", &kernel[4..kernel.len() - 1])) + 1),
            "{heap:#?}"
        );
    }
}

#[test]
fn parameters_lie_where_the_child_reads_them() {
    let f = checked();
    let global = f.device.malloc(1024).unwrap();
    f.run("_Z12params_rightPi", 1, 1, &parameters!(global));
    let report = f.device.findings();
    assert_eq!(rules(&report), [], "{report:#?}");
    assert_eq!(f.read::<i32>(global, 1), [3]);
    for (kernel, parameters) in [
        ("_Z13params_packedPi", parameters!(global)),
        ("_Z14params_by_sizev", vec![]),
        ("_Z14params_missingPi", parameters!(global)),
    ] {
        // Whatever the child does with what it reads is a consequence.
        let f = checked();
        expect(&f, kernel, 1, 1, &parameters, &[Rule::MemoryParams]);
    }
}

#[test]
fn advice_counts_launches() {
    let f = checked();
    assert_eq!(f.device.set_limit(Limit::DevRuntimePendingLaunchCount, 16384), Status::SUCCESS);
    f.run("_Z5stormv", 40, 256, &[]);
    for _ in 0..2 {
        let report = f.device.findings();
        let storm = find(&report, Rule::AdviceStorm);
        assert_eq!(storm.count, 10240);
        assert!(storm.message.contains("10240 launches of `leaf` from one place, with 8.0 threads each"), "{storm:#?}");
    }
    let report = expect(&f, "_Z10null_chainv", 2, 256, &[], &[]);
    let chain = find(&report, Rule::AdviceNullStream);
    assert!(chain.message.starts_with("256 grids") && chain.count == 2, "{chain:#?}");
    let before = f.device.findings().findings.len();
    expect(&f, "_Z8no_chainv", 1, 256, &[], &[]);
    assert_eq!(f.device.findings().findings.len(), before);
}

#[test]
fn modules_that_wait_for_children_are_named() {
    let device = hotfire_device::Device::new(Config { memory: Some(1 << 30), check: true, ..Config::default() });
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) cudaDeviceSynchronize();\n\
        .func helper()\n{\n.reg .b32 %r<4>;\n.reg .pred %p;\nmov.u32 %r0, %tid.x;\nLOOP:\n{\n.param .b32 a;\n\
        call.uni (a), cudaDeviceSynchronize, ();\nld.param.b32 %r1, [a];\n}\nadd.s32 %r2, %r0, %r1;\nsetp.eq.s32 %p, %r2, 0;\n\
        @%p bra LOOP;\nret;\n}\n.visible .entry waits()\n{\ncall.uni helper, ();\nret;\n}\n.visible .entry does_not()\n{\nret;\n}\n";
    let mut module = hotfire_ptx::parse(text).unwrap();
    module.texts = vec![text.into()];
    assert_eq!(device.load_module(vec![module]).err().map(|error| error.status), Some(Status::SYMBOL_NOT_FOUND));
    let report = device.findings();
    let [finding] = &*report.findings else { panic!("{report:#?}") };
    assert_eq!(finding.rule, Rule::Cdp1Synchronize);
    assert!(finding.message.contains("kernel `waits`") && finding.message.contains("through `helper`"), "{finding:#?}");
    assert!(
        finding.help[0].contains("split `waits` where it calls `helper`") && finding.help[2].contains("loop"),
        "{finding:#?}"
    );
    assert!(place(finding).ptx.as_ref().is_some_and(|line| line.contains("cudaDeviceSynchronize")));
}

#[test]
fn errors_of_the_host_that_nobody_looks_at() {
    let device = hotfire_device::Device::new(Config { memory: Some(1 << 30), check: true, ..Config::default() });
    let full = Status::MEMORY_ALLOCATION;
    let fail = |call| device.note_failed_call(call, full);
    fail("cudaMalloc");
    device.note_error_read();
    fail("cudaMalloc");
    device.note_error_asked(full);
    fail("cudaMallocManaged");
    assert_eq!(device.findings().findings, []);
    fail("cudaMemcpy");
    fail("cudaMemset");
    let report = device.findings();
    let [finding] = &*report.findings else { panic!("{report:#?}") };
    assert_eq!((finding.rule, finding.severity), (Rule::ApiUnchecked, Severity::Note));
    let expected = "`cudaMallocManaged` failed with cudaErrorMemoryAllocation (2), nothing looked at it, and 2 later calls have failed since";
    assert_eq!(finding.message, expected);
}
