//! The definitions of launch-model 2.2, 3.1 to 3.3 and 3.5, evaluated by brute force over the whole history.
//!
//! It counts nothing and links nothing: whether an item may start is asked of every earlier item, whether it is
//! complete of every later one. Slow on purpose, and sharing no code with the model.

/// What a host stream joins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joins {
    Legacy,
    Blocking,
    Never,
}

/// Where an item was launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Host { stream: usize, joins: Joins },
    Null { launcher: usize, block: u64 },
    Named { launcher: usize, stream: usize },
    FireAndForget { launcher: usize },
    Tail { launcher: usize },
}

impl Place {
    pub fn launcher(self) -> Option<usize> {
        match self {
            Place::Host { .. } => None,
            Place::Null { launcher, .. }
            | Place::Named { launcher, .. }
            | Place::FireAndForget { launcher }
            | Place::Tail { launcher } => Some(launcher),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Grid,
    Operation,
    Marker,
}

#[derive(Clone, Debug)]
pub struct Launched {
    pub what: What,
    pub place: Place,
    /// Items besides those of its place that it waits for.
    pub events: Vec<usize>,
    pub started: bool,
    pub exited: bool,
}

/// The history: all items in the order in which they were launched.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    pub items: Vec<Launched>,
}

/// What follows from the history.
pub struct State {
    pub done: Vec<bool>,
    pub complete: Vec<bool>,
}

impl Reference {
    pub fn launch(&mut self, what: What, place: Place, events: Vec<usize>) -> usize {
        self.items.push(Launched { what, place, events, started: false, exited: false });
        self.items.len() - 1
    }

    /// All items that are now in the stream, for an event recorded there.
    pub fn stream(&self, place: Place) -> Vec<usize> {
        (0..self.items.len()).filter(|&item| self.items[item].place == place).collect()
    }

    /// Must `early`, launched before `late`, be complete before `late` starts, because of where they were launched?
    fn precedes(&self, early: usize, late: usize) -> bool {
        match (self.items[early].place, self.items[late].place) {
            (Place::Host { stream: a, joins: one }, Place::Host { stream: b, joins: other }) => {
                let joined =
                    matches!((one, other), (Joins::Legacy, Joins::Blocking) | (Joins::Blocking, Joins::Legacy));
                a == b || joined
            }
            (Place::FireAndForget { .. }, _) => false,
            (a, b) => a == b,
        }
    }

    fn may_start_in(&self, late: usize, state: &State) -> bool {
        if let Place::Tail { launcher } = self.items[late].place
            && !state.done[launcher]
        {
            return false;
        }
        (0..late).filter(|&early| self.precedes(early, late)).all(|early| state.complete[early])
            && self.items[late].events.iter().all(|&event| state.complete[event])
    }

    /// The least state that agrees with the definitions: applied again and again until nothing changes.
    pub fn state(&self) -> State {
        let count = self.items.len();
        let mut state = State { done: vec![false; count], complete: vec![false; count] };
        loop {
            let mut changed = false;
            for item in 0..count {
                let exited = match self.items[item].what {
                    What::Marker => self.may_start_in(item, &state),
                    What::Grid | What::Operation => self.items[item].exited,
                };
                let children = |tails: bool| {
                    (0..count).filter(move |&child| {
                        self.items[child].place.launcher() == Some(item)
                            && tails == matches!(self.items[child].place, Place::Tail { .. })
                    })
                };
                let done = exited && children(false).all(|child| state.complete[child]);
                let complete = done && children(true).all(|child| state.complete[child]);
                changed |= done != state.done[item] || complete != state.complete[item];
                state.done[item] = done;
                state.complete[item] = complete;
            }
            if !changed {
                return state;
            }
        }
    }

    /// Items that may start now.
    pub fn startable(&self, state: &State) -> Vec<usize> {
        let startable = |&item: &usize| {
            let Launched { what, started, .. } = self.items[item];
            what != What::Marker && !started && self.may_start_in(item, state)
        };
        (0..self.items.len()).filter(startable).collect()
    }

    /// Slots of device launches that are not done.
    pub fn slots(&self, state: &State) -> usize {
        let holds = |&item: &usize| {
            let Launched { what, place, .. } = self.items[item];
            what == What::Grid && place.launcher().is_some() && !state.done[item]
        };
        (0..self.items.len()).filter(holds).count()
    }
}
