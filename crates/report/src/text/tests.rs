//! What findings look like, to the character.

use super::*;
use crate::examples;
use expect_test::{expect, expect_file};
use hotfire_check::{Access, Action, Frame, Launch, Rule, Thread};

#[test]
fn the_examples() {
    let mut sources = Sources::new();
    sources.insert("race.cu", examples::SOURCE);
    expect_file!["../../tests/report.txt"].assert_eq(&to_text(&examples::report(), &mut sources, Style::Plain));
}

#[test]
fn places_are_shown_where_no_source_can_be_read() {
    expect![[r#"
        error[race/parent-child]: parent reads (2) what its child writes (1), and nothing orders the two
        --> race.cu:8
         = (2) read of bytes 0..4 of cudaMalloc #1 (128 bytes) by parent(int*, int*), grid 1, block (0,0,0), thread (0,0,0)
        ::: race.cu:2
         = (1) write of bytes 0..4 of cudaMalloc #1 (128 bytes) by child(int*), grid 2, block (0,0,0), thread (0,0,0)
         = launched: (2) parent(int*, int*)<<<(1,1,1), (1,1,1)>>> (legacy default stream)
                       by host code
                         from main at race.cu:12
         = launched: (1) child(int*)<<<(1,1,1), (32,1,1)>>> (fire-and-forget)
                       by parent(int*, int*), grid 1, block (0,0,0), thread (0,0,0), at race.cu:6
                     parent(int*, int*)<<<(1,1,1), (1,1,1)>>> (legacy default stream)
                       by host code
                         from main at race.cu:12
         = edge: no edge orders (1) before (2): a parent cannot wait for its child
         = help: move the read into a kernel launched on cudaStreamTailLaunch
         = note: __syncthreads() does not wait for child grids
         = causes: memory/uninitialised: the read found bytes that nothing had written yet, at race.cu:8
         = hardware: an H200 shows it when the child starts late
         = count: 3 times at these places
         = replay: hotfire check --replay eager -- PROGRAM"#]].assert_eq(&one(&examples::race(), &mut Sources::new(), Style::Plain));
}

#[test]
fn a_line_behind_the_end_of_the_file_is_not_shown() {
    let mut sources = Sources::new();
    sources.insert("race.cu", "one line\n");
    let plain = one(&examples::race(), &mut Sources::new(), Style::Plain);
    assert_eq!(one(&examples::race(), &mut sources, Style::Plain), plain);
}

#[test]
fn ptx_is_shown_for_a_file_that_cannot_be_read() {
    let mut finding = examples::race();
    for side in &mut finding.accesses {
        if let Some(place) = &mut side.place {
            (place.ptx_line, place.ptx) = (Some(30), Some("  ld.global.u32 %r1, [%rd1];".into()));
        }
        side.launches.clear();
    }
    expect![[r#"
        error[race/parent-child]: parent reads (2) what its child writes (1), and nothing orders the two
          --> PTX of parent(int*, int*):30:3
           |
        30 |   ld.global.u32 %r1, [%rd1];
           |   ^^^^^^^^^^^^^^^^^^^^^^^^^^ (2) read of bytes 0..4 of cudaMalloc #1 (128 bytes) by parent(int*, int*), grid 1, block (0,0,0), thread (0,0,0)
           |
          ::: PTX of child(int*):30:3
           |
        30 |   ld.global.u32 %r1, [%rd1];
           |   ^^^^^^^^^^^^^^^^^^^^^^^^^^ (1) write of bytes 0..4 of cudaMalloc #1 (128 bytes) by child(int*), grid 2, block (0,0,0), thread (0,0,0)
           |
           = edge: no edge orders (1) before (2): a parent cannot wait for its child
           = help: move the read into a kernel launched on cudaStreamTailLaunch
           = note: __syncthreads() does not wait for child grids
           = note: race.cu:8 cannot be read here, so its lines are not shown
           = note: race.cu:2 cannot be read here, so its lines are not shown
           = causes: memory/uninitialised: the read found bytes that nothing had written yet, at race.cu:8
           = hardware: an H200 shows it when the child starts late
           = count: 3 times at these places
           = replay: hotfire check --replay eager -- PROGRAM"#]].assert_eq(&one(&finding, &mut Sources::new(), Style::Plain));
}

/// Host code against a copy that it queued: neither has a place of its own, but both were called from somewhere.
#[test]
fn host_sides_are_shown_by_their_calls() {
    let stack = |line| {
        vec![
            Frame { function: "libc.so.6+0x1234".into(), file: None, line: None },
            Frame { function: "check".into(), file: Some("host.cu".into()), line: Some(line) },
            Frame { function: "main".into(), file: Some("host.cu".into()), line: Some(9) },
        ]
    };
    let host = Access {
        action: Action::Read,
        bytes: None,
        thread: Thread::Host,
        place: None,
        launches: vec![],
        stack: stack(3),
    };
    let operation = Thread::Operation { call: "cudaMemcpyAsync".into() };
    let queued = Launch {
        what: "cudaMemcpyAsync".into(),
        stream: "stream #2".into(),
        by: Thread::Host,
        place: None,
        stack: stack(2),
    };
    let copy = Access {
        action: Action::CopyTo,
        bytes: None,
        thread: operation,
        place: None,
        launches: vec![queued],
        stack: vec![],
    };
    let finding = Finding { accesses: vec![host, copy], ..Finding::new(Rule::RaceHost, "read too early") };
    let mut sources = Sources::new();
    sources.insert("host.cu", "void check() {\n    cudaMemcpyAsync(h, d, n, k, s);\n    use(h[0]);\n}\n");
    expect![[r#"
        error[race/host]: read too early
         --> host.cu:3:5
          |
        2 |     cudaMemcpyAsync(h, d, n, k, s);
          |     ------------------------------- (1) copy by cudaMemcpyAsync, queued here
        3 |     use(h[0]);
          |     ^^^^^^^^^^ (2) read by host code
          |
          = called: (2) libc.so.6+0x1234
                      from check at host.cu:3
                      from main at host.cu:9
          = queued: (1) cudaMemcpyAsync (stream #2)
                      by host code
                        from libc.so.6+0x1234
                        from check at host.cu:2
                        from main at host.cu:9"#]]
    .assert_eq(&one(&finding, &mut sources, Style::Plain));
}

#[test]
fn colours_are_only_used_when_asked_for() {
    let text = |style| one(&examples::race(), &mut Sources::new(), style);
    assert!(text(Style::Coloured).contains("\x1b["));
    assert!(!text(Style::Plain).contains('\x1b'));
}

#[test]
fn a_program_cannot_write_to_the_terminal_through_its_names() {
    let mut finding = examples::race();
    let evil = "\x1b]0;title\x07\r";
    finding.message.push_str(evil);
    finding.edge = Some(evil.into());
    for side in &mut finding.accesses {
        side.thread = Thread::Operation { call: evil.into() };
        side.place =
            Some(Place { function: Some(evil.into()), ptx_line: Some(1), ptx: Some(evil.into()), ..Place::default() });
    }
    let page = one(&finding, &mut Sources::new(), Style::Plain);
    assert!(!page.contains(|c: char| c.is_control() && c != '\n'), "{page:?}");
}
