//! What a process says of memory at the host's synchronisation points, and the comparison of two such accounts.

use crate::finding::Access;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// Bytes that one digest speaks for.
pub const CHUNK: u64 = 16 << 10;

/// All that one process recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// In the order in which they came.
    pub points: Vec<Point>,
    /// Those that were asked for.
    pub pieces: Vec<Piece>,
    /// Why nothing was recorded from some point on.
    pub ended: Option<String>,
}

/// Memory at one synchronisation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// How much the host had submitted: the same in two runs only if the host did the same.
    pub submitted: u64,
    /// The allocations.
    pub areas: Vec<Area>,
}

/// One allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// Its name.
    pub name: String,
    /// A digest of what can be compared of each [`CHUNK`]; 0 if nothing can.
    pub digests: Vec<u64>,
}

/// A chunk of an allocation at a point. Its text is what `HOTFIRE_OUTCOME` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PieceId {
    /// Which point.
    pub point: usize,
    /// Which of its areas.
    pub area: usize,
    /// Which chunk.
    pub chunk: usize,
}

impl fmt::Display for PieceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.point, self.area, self.chunk)
    }
}

impl FromStr for PieceId {
    type Err = ();

    fn from_str(text: &str) -> Result<PieceId, ()> {
        let mut numbers = text.split('.').map(|number| number.parse().map_err(|_| ()));
        let mut next = || numbers.next().unwrap_or(Err(()));
        Ok(PieceId { point: next()?, area: next()?, chunk: next()? })
    }
}

/// The bytes of a chunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Which.
    pub id: PieceId,
    /// The bytes; 0 where they cannot be compared.
    pub bytes: Vec<u8>,
    /// For each word, its bytes that can be compared, one bit each.
    pub compared: Vec<u8>,
    /// For each word, who wrote it: a number in `writers` plus one; 0 for nobody known.
    pub writer: Vec<u16>,
    /// Who wrote words of it.
    pub writers: Vec<Access>,
    /// Who allocated it.
    pub made: Option<Access>,
    /// The call that synchronised.
    pub call: Option<Access>,
}

impl Piece {
    /// The first byte that both can compare and that differs.
    pub fn difference(&self, other: &Piece) -> Option<usize> {
        let end = self.bytes.len().min(other.bytes.len());
        (0..end).find(|&at| {
            let both = self.compared.get(at / 4).zip(other.compared.get(at / 4)).map_or(0, |(a, b)| a & b);
            both >> (at % 4) & 1 == 1 && self.bytes[at] != other.bytes[at]
        })
    }

    /// The whole word around a byte, if all of it can be compared.
    pub fn word(&self, at: usize) -> Option<u32> {
        let first = at & !3;
        let bytes = self.bytes.get(first..first + 4)?;
        (self.compared.get(at / 4)? & 0xf == 0xf).then(|| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Who wrote a byte.
    pub fn writer(&self, at: usize) -> Option<&Access> {
        let number = *self.writer.get(at / 4)?;
        self.writers.get(usize::from(number).checked_sub(1)?)
    }
}

impl Record {
    /// The digest of a chunk.
    pub fn digest(&self, id: PieceId) -> Option<u64> {
        self.points.get(id.point)?.areas.get(id.area)?.digests.get(id.chunk).copied()
    }

    /// The bytes of a chunk, if they were asked for.
    pub fn piece(&self, id: PieceId) -> Option<&Piece> {
        self.pieces.iter().find(|piece| piece.id == id)
    }

    /// Chunks whose digests differ, at points up to which the host did the same: by this record's numbers and the other's. At most
    /// `most`, those of an allocation that differs for the first time before all others.
    pub fn differences(&self, other: &Record, most: usize) -> Vec<(PieceId, PieceId)> {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let mut found = Vec::new();
        for (point, (ours, theirs)) in self.points.iter().zip(&other.points).enumerate() {
            if ours.submitted != theirs.submitted {
                break;
            }
            let mut at = 0;
            for (area, mine) in ours.areas.iter().enumerate() {
                // Both are in the order of addresses.
                let Some(next) = theirs.areas[at..].iter().position(|their| their.name == mine.name) else { continue };
                at += next + 1;
                let their = &theirs.areas[at - 1];
                for (chunk, (a, b)) in mine.digests.iter().zip(&their.digests).enumerate() {
                    if a != b && *a != 0 && *b != 0 {
                        let round = seen.entry(&mine.name).or_default();
                        let ids = (PieceId { point, area, chunk }, PieceId { point, area: at - 1, chunk });
                        found.push((*round, ids));
                        *round += 1;
                    }
                }
            }
        }
        found.sort_by_key(|(round, _)| *round);
        found.truncate(most);
        let mut found: Vec<_> = found.into_iter().map(|(_, ids)| ids).collect();
        found.sort_by_key(|(mine, _)| (mine.point, mine.area, mine.chunk));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(submitted: u64, areas: &[(&str, &[u64])]) -> Point {
        let area = |&(name, digests): &(&str, &[u64])| Area { name: name.into(), digests: digests.to_vec() };
        Point { submitted, areas: areas.iter().map(area).collect() }
    }

    #[test]
    fn chunks_are_compared_as_long_as_the_host_does_the_same() {
        let record = |points: Vec<Point>| Record { points, ..Record::default() };
        let a =
            record(vec![point(1, &[("x", &[7, 8]), ("y", &[1])]), point(2, &[("y", &[5])]), point(3, &[("y", &[5])])]);
        let b = record(vec![point(1, &[("y", &[1])]), point(2, &[("x", &[0]), ("y", &[6])]), point(4, &[("y", &[9])])]);
        let found = a.differences(&b, 9);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].0.to_string(), found[0].1.to_string()), ("1.0.0".into(), "1.1.0".into()));
        assert_eq!("1.0.0".parse(), Ok(found[0].0));
        assert!("1.0".parse::<PieceId>().is_err());
    }

    #[test]
    fn only_what_both_can_compare_differs() {
        let id = PieceId { point: 0, area: 0, chunk: 0 };
        let piece = |bytes: [u8; 8], compared: [u8; 2]| Piece {
            id,
            bytes: bytes.to_vec(),
            compared: compared.to_vec(),
            writer: vec![0, 0],
            writers: vec![],
            made: None,
            call: None,
        };
        let a = piece([1, 2, 3, 4, 5, 6, 7, 8], [0b1111, 0b1111]);
        let b = piece([9, 2, 3, 4, 5, 6, 0, 8], [0b1110, 0b1111]);
        assert_eq!(a.difference(&b), Some(6));
        assert_eq!(a.difference(&a), None);
        assert_eq!((a.word(1), b.word(1)), (Some(0x0403_0201), None));
    }
}
