//! The model and the reference side by side: every action goes to both, and after every action all that can be seen
//! of them is compared.

use crate::reference::{Joins, Place, Reference, What};
use hotfire_launch::{
    DeviceEvent, DeviceLaunchStream, DeviceStream, EventPoolFull, Item, LaunchError, Limits, Model, Policy, Stage,
    Stream, StreamKind, Work,
};

/// A named stream or an event of a grid.
#[derive(Clone, Debug)]
pub struct Owned<H> {
    pub owner: usize,
    pub handle: H,
    pub alive: bool,
    /// For an event: the items that it stands for.
    pub stands_for: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct Lockstep {
    pub model: Model,
    pub reference: Reference,
    /// The model's handles of the reference's items. Waits have none: the model need not make an item of them.
    pub items: Vec<Option<Item>>,
    pub streams: Vec<(Stream, Joins)>,
    pub named: Vec<Owned<DeviceStream>>,
    pub events: Vec<Owned<DeviceEvent>>,
    /// What of the items was reported complete.
    reported: Vec<bool>,
    pub pool: usize,
}

/// A device stream, as a test names it: `Named` by its number in `Lockstep::named`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    Null,
    FireAndForget,
    Tail,
    Named(usize),
}

impl Lockstep {
    pub fn new(pool: usize, policy: Policy) -> Lockstep {
        Lockstep {
            model: Model::new(Limits { pending_launches: pool as u32, ..Limits::default() }, policy),
            reference: Reference::default(),
            items: Vec::new(),
            streams: vec![(Stream::LEGACY, Joins::Legacy)],
            named: Vec::new(),
            events: Vec::new(),
            reported: Vec::new(),
            pool,
        }
    }

    pub fn create_stream(&mut self, kind: StreamKind) -> usize {
        let joins = if kind == StreamKind::NonBlocking { Joins::Never } else { Joins::Blocking };
        self.streams.push((self.model.create_stream(kind), joins));
        self.streams.len() - 1
    }

    fn host(&self, stream: usize) -> (Stream, Place) {
        let (handle, joins) = self.streams[stream];
        (handle, Place::Host { stream, joins })
    }

    fn note(&mut self, what: What, place: Place, events: Vec<usize>, handle: Option<Item>) -> usize {
        self.items.push(handle);
        self.reported.push(false);
        self.reference.launch(what, place, events)
    }

    pub fn submit(&mut self, stream: usize, work: Work) -> usize {
        let (handle, place) = self.host(stream);
        let item = self.model.submit(handle, work);
        self.note(what(work), place, Vec::new(), Some(item))
    }

    pub fn record(&mut self, stream: usize) -> usize {
        let (handle, place) = self.host(stream);
        let item = self.model.record(handle);
        self.note(What::Marker, place, Vec::new(), Some(item))
    }

    /// The stream waits for an item that has a handle.
    pub fn wait(&mut self, stream: usize, item: usize) {
        let (handle, place) = self.host(stream);
        self.model.wait(handle, self.items[item].expect("waits are not waited for"));
        self.note(What::Marker, place, vec![item], None);
    }

    pub fn start(&mut self, item: usize) {
        let handle = self.items[item].expect("waits do not start");
        assert!(self.model.start(handle), "item {item} may start");
        self.started(item);
    }

    /// The model started it by its policy.
    pub fn started(&mut self, item: usize) {
        self.reference.items[item].started = true;
    }

    pub fn finish(&mut self, item: usize) {
        self.model.finished(self.items[item].expect("waits do not run"));
        self.reference.items[item].exited = true;
        for named in self.named.iter_mut().filter(|named| named.owner == item) {
            named.alive = false;
        }
        for event in self.events.iter_mut().filter(|event| event.owner == item) {
            event.alive = false;
        }
    }

    /// Items that run.
    pub fn running(&self) -> Vec<usize> {
        let items = &self.reference.items;
        (0..items.len()).filter(|&item| items[item].started && !items[item].exited).collect()
    }

    fn device(&self, launcher: usize, block: u64, on: On) -> (DeviceLaunchStream, Result<Place, LaunchError>) {
        match on {
            On::Null => (DeviceLaunchStream::Null, Ok(Place::Null { launcher, block })),
            On::FireAndForget => (DeviceLaunchStream::FireAndForget, Ok(Place::FireAndForget { launcher })),
            On::Tail => (DeviceLaunchStream::Tail, Ok(Place::Tail { launcher })),
            On::Named(stream) => {
                let named = &self.named[stream];
                let place = match named {
                    named if !named.alive => Err(LaunchError::StaleHandle),
                    named if named.owner != launcher => {
                        Err(LaunchError::ForeignHandle { owner: self.items[named.owner].unwrap() })
                    }
                    _ => Ok(Place::Named { launcher, stream }),
                };
                (DeviceLaunchStream::Named(named.handle), place)
            }
        }
    }

    /// A thread of the running grid `launcher` launches. Answers the item, or none if pool or handle did not allow it.
    pub fn launch(&mut self, launcher: usize, block: u64, on: On, work: Work) -> Option<usize> {
        let grid = self.items[launcher].unwrap();
        let (stream, place) = self.device(launcher, block, on);
        if work == Work::Grid {
            let free = self.reference.slots(&self.reference.state()) < self.pool;
            assert_eq!(self.model.reserve_slot(grid).is_ok(), free, "a slot is free");
            if !free {
                return None;
            }
        }
        let launched = self.model.launch(grid, block, stream, work);
        assert_eq!(launched.err(), place.err());
        Some(self.note(what(work), place.ok()?, Vec::new(), launched.ok()))
    }

    pub fn create_named(&mut self, owner: usize) -> usize {
        let handle = self.model.device_stream_create(self.items[owner].unwrap());
        assert_eq!(DeviceStream::from_bits(handle.to_bits()), Some(handle));
        self.named.push(Owned { owner, handle, alive: true, stands_for: Vec::new() });
        self.named.len() - 1
    }

    pub fn create_event(&mut self, owner: usize) -> Option<usize> {
        let full = self.events.iter().filter(|event| event.alive).count() >= 2 * self.pool;
        let created = self.model.device_event_create(self.items[owner].unwrap());
        assert_eq!(created.err(), full.then_some(EventPoolFull));
        self.events.push(Owned { owner, handle: created.ok()?, alive: true, stands_for: Vec::new() });
        Some(self.events.len() - 1)
    }

    fn wrong<H>(&self, owned: &Owned<H>, user: usize) -> Option<LaunchError> {
        if !owned.alive {
            Some(LaunchError::StaleHandle)
        } else if owned.owner != user {
            Some(LaunchError::ForeignHandle { owner: self.items[owned.owner].unwrap() })
        } else {
            None
        }
    }

    pub fn destroy_named(&mut self, user: usize, stream: usize) {
        let destroyed = self.model.device_stream_destroy(self.items[user].unwrap(), self.named[stream].handle);
        assert_eq!(destroyed.err(), self.wrong(&self.named[stream], user));
        self.named[stream].alive &= destroyed.is_err();
    }

    pub fn destroy_event(&mut self, user: usize, event: usize) {
        let destroyed = self.model.device_event_destroy(self.items[user].unwrap(), self.events[event].handle);
        assert_eq!(destroyed.err(), self.wrong(&self.events[event], user));
        self.events[event].alive &= destroyed.is_err();
    }

    fn with_event(&self, user: usize, block: u64, on: On, event: usize) -> Result<Place, LaunchError> {
        match (on, self.wrong(&self.events[event], user)) {
            (On::FireAndForget | On::Tail, _) => Err(LaunchError::InvalidValue),
            (_, Some(error)) => Err(error),
            _ => self.device(user, block, on).1,
        }
    }

    pub fn device_record(&mut self, user: usize, block: u64, on: On, event: usize) {
        let stream = self.device(user, block, on).0;
        let recorded = self.model.device_record(self.items[user].unwrap(), block, stream, self.events[event].handle);
        let place = self.with_event(user, block, on, event);
        assert_eq!(recorded.err(), place.err());
        if let Ok(place) = place {
            self.events[event].stands_for = self.reference.stream(place);
        }
    }

    pub fn device_wait(&mut self, user: usize, block: u64, on: On, event: usize) {
        let stream = self.device(user, block, on).0;
        let waited = self.model.device_wait(self.items[user].unwrap(), block, stream, self.events[event].handle);
        let place = self.with_event(user, block, on, event);
        assert_eq!(waited.err(), place.err());
        if let Ok(place) = place {
            let stands_for = self.events[event].stands_for.clone();
            self.note(What::Marker, place, stands_for, None);
        }
    }

    /// The reference's number of a handle that is not complete.
    pub fn number(&self, item: Item) -> usize {
        self.items.iter().position(|&other| other == Some(item)).expect("an item of this test")
    }

    /// Compares everything that can be seen; answers what may start now.
    pub fn compare(&mut self) -> Vec<usize> {
        let state = self.reference.state();
        self.compare_reports(&state.done, &state.complete);
        let startable = self.reference.startable(&state);
        let mut ours: Vec<_> = self.model.startable().into_iter().map(|item| self.number(item)).collect();
        ours.sort_unstable();
        assert_eq!(ours, startable, "what may start");
        assert_eq!(self.model.pending() as usize, self.reference.slots(&state), "slots in use");
        assert_eq!(self.model.all_idle(), state.complete.iter().all(|&complete| complete), "is the device idle");
        for (number, &(stream, joins)) in self.streams.iter().enumerate() {
            let idle = |place: Place| match place {
                Place::Host { stream, joins: other } => {
                    stream != number && (joins != Joins::Legacy || other == Joins::Never)
                }
                _ => true,
            };
            let idle = (0..self.items.len()).all(|item| state.complete[item] || idle(self.reference.items[item].place));
            assert_eq!(self.model.stream_idle(stream), idle, "is stream {number} idle");
        }
        startable
    }

    /// A tail hands its tails on when it is done and is reported then: nothing but what comes after those waits for
    /// it. Everything else is reported when it is complete, after all its descendants.
    fn compare_reports(&mut self, done: &[bool], complete: &[bool]) {
        let reports: Vec<_> = self.model.drain_completed().collect();
        for report in reports {
            // A wait of the model: not an item of the reference.
            let Some(number) = self.items.iter().position(|&item| item == Some(report)) else { continue };
            assert!(!self.reported[number], "reported once");
            self.reported[number] = true;
            for (child, launched) in self.reference.items.iter().enumerate() {
                if launched.place.launcher() == Some(number) && self.items[child].is_some() {
                    let tail_of_tail = matches!(launched.place, Place::Tail { .. })
                        && matches!(self.reference.items[number].place, Place::Tail { .. });
                    assert!(self.reported[child] || tail_of_tail, "children are reported before their parent");
                }
            }
        }
        for (number, item) in self.items.iter().enumerate() {
            let Some(item) = *item else { continue };
            let launched = &self.reference.items[number];
            let over = match launched.place {
                Place::Tail { .. } => done[number],
                _ => complete[number],
            };
            assert_eq!(self.model.is_complete(item), over, "is item {number} complete");
            assert_eq!(self.reported[number], over, "was item {number} reported");
            let stage = match (over, launched) {
                (true, _) => Stage::Complete,
                _ if done[number] => Stage::Done,
                _ if launched.exited => Stage::Exited,
                _ if launched.started => Stage::Running,
                _ => continue, // Waiting or startable, which is compared elsewhere.
            };
            assert_eq!(self.model.stage(item), stage, "stage of item {number}");
        }
    }
}

fn what(work: Work) -> What {
    match work {
        Work::Grid => What::Grid,
        Work::Operation => What::Operation,
    }
}
