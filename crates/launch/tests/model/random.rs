//! Long random histories, model and reference side by side, under every policy: every call of the interface, valid
//! handles and dead ones.

use crate::lockstep::{Lockstep, On};
use hotfire_launch::{Policy, Situation, StreamKind, Work};
use proptest::prelude::*;

/// Numbers choose among what there is when the action comes, modulo its count.
#[derive(Clone, Debug)]
enum Action {
    CreateStream(StreamKind),
    DestroyStream(usize),
    Submit(usize, bool),
    Record(usize),
    Wait(usize, usize),
    Next(Situation),
    Finish(usize),
    Launch { grid: usize, block: u64, on: Where, operation: bool },
    CreateNamed(usize),
    DestroyNamed(usize, usize),
    CreateEvent(usize),
    DestroyEvent(usize, usize),
    DeviceRecord { grid: usize, block: u64, on: Where, event: usize },
    DeviceWait { grid: usize, block: u64, on: Where, event: usize },
    SetPool(usize),
}

#[derive(Clone, Copy, Debug)]
enum Where {
    Null,
    FireAndForget,
    Tail,
    /// One that the grid created, if it did.
    Own(usize),
    /// Any one that was ever created.
    Any(usize),
}

fn anywhere() -> impl Strategy<Value = Where> {
    prop_oneof![
        3 => Just(Where::Null),
        2 => Just(Where::FireAndForget),
        3 => Just(Where::Tail),
        3 => (0..3_usize).prop_map(Where::Own),
        1 => (0..9_usize).prop_map(Where::Any),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let kind =
        prop_oneof![Just(StreamKind::Blocking), Just(StreamKind::NonBlocking), Just(StreamKind::PerThreadDefault)];
    let situation = prop_oneof![Just(Situation::Busy), Just(Situation::Stuck)];
    let n = || 0..64_usize;
    let device = || (n(), 0..2_u64, anywhere(), n());
    prop_oneof![
        1 => kind.prop_map(Action::CreateStream),
        1 => n().prop_map(Action::DestroyStream),
        4 => (n(), any::<bool>()).prop_map(|(stream, operation)| Action::Submit(stream, operation)),
        2 => n().prop_map(Action::Record),
        3 => (n(), n()).prop_map(|(stream, item)| Action::Wait(stream, item)),
        12 => situation.prop_map(Action::Next),
        10 => n().prop_map(Action::Finish),
        12 => (n(), 0..2_u64, anywhere(), prop::bool::weighted(0.1))
            .prop_map(|(grid, block, on, operation)| Action::Launch { grid, block, on, operation }),
        3 => n().prop_map(Action::CreateNamed),
        1 => (n(), n()).prop_map(|(grid, stream)| Action::DestroyNamed(grid, stream)),
        3 => n().prop_map(Action::CreateEvent),
        1 => (n(), n()).prop_map(|(grid, event)| Action::DestroyEvent(grid, event)),
        4 => device().prop_map(|(grid, block, on, event)| Action::DeviceRecord { grid, block, on, event }),
        4 => device().prop_map(|(grid, block, on, event)| Action::DeviceWait { grid, block, on, event }),
        1 => (1..6_usize).prop_map(Action::SetPool),
    ]
}

fn policy() -> impl Strategy<Value = Policy> {
    prop_oneof![Just(Policy::Eager), Just(Policy::Latest), any::<u64>().prop_map(Policy::Random)]
}

fn pick<T: Copy>(from: &[T], number: usize) -> Option<T> {
    (!from.is_empty()).then(|| from[number % from.len()])
}

/// What was started, in order, and what the interpreter keeps beside the pair.
struct History {
    pair: Lockstep,
    alive: Vec<usize>,
    policy: Policy,
    started: Vec<usize>,
}

impl History {
    fn new(policy: Policy) -> History {
        History { pair: Lockstep::new(3, policy.clone()), alive: vec![0], policy, started: Vec::new() }
    }

    /// Grids whose threads can call.
    fn grids(&self) -> Vec<usize> {
        let mut running = self.pair.running();
        running.retain(|&item| self.pair.reference.items[item].what == crate::reference::What::Grid);
        running
    }

    fn on(&self, grid: usize, on: Where) -> On {
        let named = &self.pair.named;
        let own: Vec<_> = (0..named.len()).filter(|&n| named[n].owner == grid && named[n].alive).collect();
        let any: Vec<_> = (0..named.len()).collect();
        match on {
            Where::Null => On::Null,
            Where::FireAndForget => On::FireAndForget,
            Where::Tail => On::Tail,
            Where::Own(number) => pick(&own, number).map_or(On::Null, On::Named),
            Where::Any(number) => pick(&any, number).map_or(On::Null, On::Named),
        }
    }

    fn next(&mut self, situation: Situation) {
        let state = self.pair.reference.state();
        let may_start = self.pair.reference.startable(&state);
        let running = self.pair.running();
        let situation = if running.is_empty() { Situation::Idle } else { situation };
        let promised = |&item: &usize| {
            let launcher = self.pair.reference.items[item].place.launcher();
            launcher.is_none_or(|launcher| self.pair.reference.items[launcher].exited)
        };
        let picked = self.pair.model.next(situation).map(|item| self.pair.number(item));
        let Some(item) = picked else {
            let must = match self.policy {
                Policy::Eager => !may_start.is_empty(),
                Policy::Latest => situation != Situation::Busy && may_start.iter().any(promised),
                Policy::Random(_) => situation != Situation::Busy && !may_start.is_empty(),
                Policy::Replay(_) => situation == Situation::Idle && !may_start.is_empty(),
            };
            assert!(!must, "something had to start");
            return;
        };
        assert!(may_start.contains(&item), "only what may start is started");
        if self.policy == Policy::Latest {
            assert!(situation != Situation::Busy && promised(&item));
        }
        self.pair.started(item);
        self.started.push(item);
    }

    fn apply(&mut self, action: &Action) {
        let grids = self.grids();
        let pair = &mut self.pair;
        let work = |operation| if operation { Work::Operation } else { Work::Grid };
        let events: Vec<_> = (0..pair.events.len()).collect();
        let named: Vec<_> = (0..pair.named.len()).collect();
        match *action {
            Action::CreateStream(kind) => self.alive.push(pair.create_stream(kind)),
            Action::DestroyStream(number) => {
                // The legacy stream, at 0, stays.
                if self.alive.len() > 1 {
                    let stream = self.alive.remove(1 + number % (self.alive.len() - 1));
                    pair.model.destroy_stream(pair.streams[stream].0);
                }
            }
            Action::Submit(number, operation) => {
                pair.submit(self.alive[number % self.alive.len()], work(operation));
            }
            Action::Record(number) => {
                pair.record(self.alive[number % self.alive.len()]);
            }
            Action::Wait(number, item) => {
                let waitable: Vec<_> = (0..pair.items.len()).filter(|&item| pair.items[item].is_some()).collect();
                // The host has no handles of device launches.
                let waitable: Vec<_> =
                    waitable.into_iter().filter(|&i| pair.reference.items[i].place.launcher().is_none()).collect();
                if let Some(item) = pick(&waitable, item) {
                    pair.wait(self.alive[number % self.alive.len()], item);
                }
            }
            Action::Next(situation) => self.next(situation),
            Action::Finish(number) => {
                if let Some(item) = pick(&pair.running(), number) {
                    pair.finish(item);
                }
            }
            Action::SetPool(size) => {
                pair.pool = size;
                pair.model.set_pending_launches(size as u32);
            }
            Action::Launch { grid, block, on, operation } => {
                if let Some(grid) = pick(&grids, grid) {
                    let on = self.on(grid, on);
                    self.pair.launch(grid, block, on, work(operation));
                }
            }
            Action::CreateNamed(grid) => drop(pick(&grids, grid).map(|grid| pair.create_named(grid))),
            Action::CreateEvent(grid) => drop(pick(&grids, grid).map(|grid| pair.create_event(grid))),
            Action::DestroyNamed(grid, stream) => {
                if let (Some(grid), Some(stream)) = (pick(&grids, grid), pick(&named, stream)) {
                    pair.destroy_named(grid, stream);
                }
            }
            Action::DestroyEvent(grid, event) => {
                if let (Some(grid), Some(event)) = (pick(&grids, grid), pick(&events, event)) {
                    pair.destroy_event(grid, event);
                }
            }
            Action::DeviceRecord { grid, block, on, event } => {
                if let (Some(grid), Some(event)) = (pick(&grids, grid), pick(&events, event)) {
                    let on = self.on(grid, on);
                    self.pair.device_record(grid, block, on, event);
                }
            }
            Action::DeviceWait { grid, block, on, event } => {
                if let (Some(grid), Some(event)) = (pick(&grids, grid), pick(&events, event)) {
                    let on = self.on(grid, on);
                    self.pair.device_wait(grid, block, on, event);
                }
            }
        }
        self.pair.compare();
    }

    /// Ends everything: whatever the history, the device becomes idle.
    fn wind_down(&mut self) {
        while !self.pair.model.all_idle() {
            self.next(Situation::Stuck);
            if let Some(&item) = self.pair.running().first() {
                self.pair.finish(item);
            }
            self.pair.compare();
        }
        assert_eq!(self.pair.model.unfinished(), 0);
        assert!(self.pair.model.waits().is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn histories_agree_with_the_definitions(policy in policy(), actions in prop::collection::vec(action(), 1..160)) {
        let mut history = History::new(policy);
        actions.iter().for_each(|action| history.apply(action));
        history.wind_down();
    }

    #[test]
    fn histories_replay(policy in policy(), actions in prop::collection::vec(action(), 1..100)) {
        prop_assume!(policy != Policy::Eager);
        let run = |policy| {
            let mut history = History::new(policy);
            actions.iter().for_each(|action| history.apply(action));
            history.wind_down();
            history
        };
        let first = run(policy);
        let again = run(Policy::Replay(first.pair.model.choices().to_vec()));
        prop_assert_eq!(&again.started, &first.started);
        prop_assert!(!again.pair.model.diverged());
    }
}
