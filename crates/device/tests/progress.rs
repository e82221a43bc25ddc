//! The progress rules. Each case runs in a process of its own, since verdicts ask what the host threads of the process do, twice under
//! each policy, and both times the report must be the same to the byte.

mod common;

use common::{Fixture, fixture_of};
use hotfire_check::Severity;
use hotfire_device::{Config, Status, Stream};
use hotfire_launch::Policy;
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

const CASE: &str = "HOTFIRE_PROGRESS_CASE";
const POLICIES: [&str; 4] = ["eager", "latest", "random:1", "random:2"];
const LIMIT: Duration = Duration::from_secs(60);

const SPIN: &str = "progress/spin";
const RESIDENCY: &str = "progress/residency";
const BARRIER: &str = "progress/barrier";

/// What cases that break a rule and yet come to an end begin with.
const LIVES: [&str; 4] = ["one_warp", "a_wait_for_its_child", "a_wait_for_its_parent", "siblings_that_come"];
/// Those that break it under the eager policy alone, sure.
const LUCKY: [&str; 3] = ["a_wait_for_its_child", "a_wait_for_its_parent", "siblings_that_come"];

struct Case {
    name: &'static str,
    /// The rule that is broken, and how many findings it gives.
    rule: Option<(&'static str, usize)>,
    run: fn(&Fixture) -> Status,
}

const fn case(name: &'static str, rule: Option<(&'static str, usize)>, run: fn(&Fixture) -> Status) -> Case {
    Case { name, rule, run }
}

fn run(f: &Fixture, kernel: &str, grid: u32, block: u32, parameters: &[u8]) -> Status {
    f.launch(kernel, grid, block, parameters);
    f.device.synchronize()
}

/// An int of mapped memory, as host code sees it.
fn mapped(f: &Fixture) -> (u64, &'static AtomicI32) {
    let address = f.device.host_alloc(4, 0).unwrap();
    // SAFETY: allocated above, never freed.
    (address, unsafe { &*(address as *const AtomicI32) })
}

const CASES: &[Case] = &[
    case("a_flag_that_nobody_sets", Some((SPIN, 1)), |f| run(f, "spin_on_flag", 1, 1, &[])),
    case("many_threads", Some((SPIN, 1)), |f| run(f, "spin_on_flag", 3, 64, &[])),
    case("asleep_in_between", Some((SPIN, 1)), |f| run(f, "spin_with_sleep", 1, 1, &[])),
    case("looking_at_the_clock", Some((SPIN, 1)), |f| run(f, "spin_with_clock", 1, 1, &[])),
    case("a_lock_that_is_never_released", Some((SPIN, 1)), |f| {
        f.launch("take_lock", 1, 1, &[]);
        run(f, "spin_for_a_lock", 1, 1, &[])
    }),
    case("siblings_that_wait_for_each_other", Some((SPIN, 1)), |f| run(f, "siblings", 1, 1, &[])),
    case("streams_that_wait_for_each_other", Some((SPIN, 1)), |f| {
        let [a, b] = [(); 2].map(|()| f.device.stream_create(true, 0).unwrap());
        assert_eq!(f.try_launch("first", 1, 1, a, &[]), Status::SUCCESS);
        assert_eq!(f.try_launch("second", 1, 1, b, &[]), Status::SUCCESS);
        f.device.synchronize()
    }),
    case("a_wait_for_the_next_in_the_stream", Some((SPIN, 1)), |f| {
        f.launch("spin_on_flag", 1, 1, &[]);
        run(f, "set_flag", 1, 1, &[])
    }),
    case("a_wait_for_its_own_tail", Some((SPIN, 1)), |f| run(f, "waits_for_its_tail", 1, 1, &[])),
    case("all_host_threads_wait", Some((SPIN, 1)), |f| {
        f.launch("spin_on_flag", 1, 1, &[]);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| f.device.synchronize());
            assert_eq!(f.device.synchronize(), other.join().unwrap());
        });
        f.device.sticky()
    }),
    case("a_joined_thread_waits", Some((SPIN, 1)), |f| {
        f.launch("spin_on_flag", 1, 1, &[]);
        std::thread::scope(|scope| scope.spawn(|| f.device.synchronize()).join().unwrap())
    }),
    // Eager lets it spin first; under the others the child may come first, and nothing waits.
    case("a_wait_for_its_child", Some((SPIN, 1)), |f| run(f, "waits_for_its_child", 1, 1, &[])),
    case("a_wait_for_its_parent", Some((SPIN, 1)), |f| run(f, "sets_what_its_child_waits_for", 1, 1, &[])),
    case("siblings_that_come_together", Some((SPIN, 1)), |f| run(f, "meeting_siblings", 1, 1, &[])),
    case("a_child_that_counts_its_looks", None, |f| run(f, "counts_looks_at_its_child", 1, 1, &[])),
    case("leaves_by_a_count", None, |f| run(f, "bounded_by_count", 1, 1, &parameters!(1_000_000))),
    case("leaves_by_the_clock", None, |f| {
        let status = run(f, "bounded_by_clock", 1, 1, &parameters!(60_000_000_000_u64));
        assert_eq!(f.ints("results", 1), [7]);
        status
    }),
    case("the_host_sets_the_flag", None, |f| {
        let (address, flag) = mapped(f);
        f.launch("spin_on", 1, 1, &parameters!(address));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                flag.store(1, Ordering::Release);
            });
            f.device.synchronize()
        })
    }),
    case("a_host_function_sets_the_flag", None, |f| {
        let (address, flag) = mapped(f);
        let [a, b] = [(); 2].map(|()| f.device.stream_create(true, 0).unwrap());
        assert_eq!(f.try_launch("spin_on", 1, 1, a, &parameters!(address)), Status::SUCCESS);
        let set = move || {
            std::thread::sleep(Duration::from_millis(100));
            flag.store(1, Ordering::Release);
        };
        assert_eq!(f.device.host_function(b, Box::new(set)), Status::SUCCESS);
        f.device.synchronize()
    }),
    case("the_host_polls_and_sets_the_flag", None, |f| {
        let (address, flag) = mapped(f);
        f.launch("spin_on", 1, 1, &parameters!(address));
        for _ in 0..100 {
            assert_eq!(f.device.stream_query(Stream::LEGACY), Status::NOT_READY);
        }
        flag.store(1, Ordering::Release);
        while f.device.stream_query(Stream::LEGACY) == Status::NOT_READY {}
        f.device.synchronize()
    }),
    case("a_grid_barrier_that_fits", None, |f| run(f, "grid_barrier", 264, 1024, &parameters!(264))),
    case("a_grid_barrier_that_does_not_fit", Some((RESIDENCY, 1)), |f| {
        run(f, "grid_barrier", 265, 1024, &parameters!(265))
    }),
    case("each_block_waits_for_the_one_before", None, |f| run(f, "chain", 300, 1024, &[])),
    case("half_of_the_threads_wait_elsewhere", Some((BARRIER, 1)), |f| run(f, "missing", 1, 64, &[])),
    case("lanes_that_never_come", Some((BARRIER, 1)), |f| run(f, "lanes_missing", 1, 32, &[])),
    case("the_others_have_exited", None, |f| run(f, "exited", 4, 64, &[])),
    case("one_warp_at_two_barriers", Some((BARRIER, 1)), |f| {
        let status = run(f, "divergent", 2, 64, &[]);
        assert_eq!(f.device.findings().findings.iter().find(|f| f.rule.name() == BARRIER).unwrap().count, 64);
        status
    }),
    case("one_warp_at_two_unaligned_barriers", None, |f| run(f, "unaligned", 2, 64, &[])),
    case("one_warp_at_two_counted_barriers", Some((BARRIER, 1)), |f| run(f, "parted", 1, 32, &[])),
];

/// What a case found, as text.
fn in_this_process(name: &str) {
    let (name, policy) = name.split_once('@').unwrap();
    let case = CASES.iter().find(|case| case.name == name).unwrap();
    let policy = match policy.split_once(':') {
        Some((_, seed)) => Policy::Random(seed.parse().unwrap()),
        None if policy == "latest" => Policy::Latest,
        None => Policy::Eager,
    };
    let policy_is_not_eager = policy != Policy::Eager;
    let config = Config { memory: Some(4 << 30), check: true, policy: Some(policy), ..Config::default() };
    let f = fixture_of(config, include_str!("kernels/progress.ptx"));
    let status = (case.run)(&f);
    let report = f.device.findings();
    let broken = || report.findings.iter().filter(|finding| finding.severity != Severity::Note);
    let rules: Vec<_> = broken().map(|finding| finding.rule.name()).collect();
    let expected: Vec<_> = case.rule.iter().flat_map(|&(rule, count)| std::iter::repeat_n(rule, count)).collect();
    let lucky = policy_is_not_eager && LUCKY.iter().any(|start| name.starts_with(start)) && rules.is_empty();
    assert!(rules == expected || lucky, "{report:#?}");
    for finding in broken() {
        assert!(finding.accesses.iter().all(|side| side.place.is_some()), "{finding:#?}");
        assert!(!finding.accesses.is_empty());
    }
    let ends = case.rule.is_some() && !LIVES.iter().any(|start| name.starts_with(start));
    assert_eq!(status, if ends { Status::LAUNCH_TIMEOUT } else { Status::SUCCESS });
    println!("{report:#?}");
}

/// Runs a case in a process of its own; what it printed.
fn in_another(name: &str, policy: &str) -> Result<String, Failed> {
    let mut command = Command::new(std::env::current_exe()?);
    let mut child =
        command.env(CASE, format!("{name}@{policy}")).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let began = Instant::now();
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let reader = std::thread::spawn(move || std::io::read_to_string(&mut out));
    let errors = std::thread::spawn(move || std::io::read_to_string(&mut err));
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if began.elapsed() > LIMIT {
            child.kill()?;
            return Err(format!("{policy}: no end after {LIMIT:?}").into());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let (out, err) = (reader.join().unwrap()?, errors.join().unwrap()?);
    if status.success() { Ok(out) } else { Err(format!("{policy}: {status}\n{err}").into()) }
}

fn main() {
    if let Ok(name) = std::env::var(CASE) {
        return in_this_process(&name);
    }
    let trial = |case: &'static Case| {
        Trial::test(case.name, move || {
            for policy in POLICIES {
                let first = in_another(case.name, policy)?;
                let second = in_another(case.name, policy)?;
                if first != second {
                    return Err(format!("{policy}: two runs differ:\n{first}\n{second}").into());
                }
            }
            Ok(())
        })
    };
    libtest_mimic::run(&Arguments::from_args(), CASES.iter().map(trial).collect()).exit();
}
