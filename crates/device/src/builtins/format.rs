//! Formatting as device-side `printf` does it (CUDA Programming Guide, "Formatted output"): C's conversions, at most 32
//! arguments, laid out in a buffer each at the next multiple of its size.

use std::ffi::{CString, c_char, c_int};

/// Most arguments of one call.
const MOST_ARGUMENTS: usize = 32;
/// Most bytes that one conversion may give: a width of a billion must not take a gigabyte.
const MOST_BYTES: usize = 1 << 16;

/// What an argument is in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// 4 bytes; signed or not is for C's conversion to say.
    Word,
    /// 8 bytes.
    Double,
    /// 8 bytes: `long`, `long long`, `size_t`, pointers.
    Long,
    /// 8 bytes: address of a string.
    Text,
}

impl Kind {
    fn size(self) -> usize {
        if self == Kind::Word { 4 } else { 8 }
    }
}

/// A piece of a format.
enum Piece {
    Plain(Vec<u8>),
    /// A conversion in C's words, how many `*` precede its argument, and the argument.
    Conversion {
        text: CString,
        stars: usize,
        kind: Kind,
    },
}

/// A parsed format.
pub struct Format {
    pieces: Vec<Piece>,
    /// Kind and offset of each argument, stars included.
    arguments: Vec<(Kind, usize)>,
}

impl Format {
    /// Takes a format apart. Text that is no conversion stays as it is.
    pub fn parse(format: &[u8]) -> Self {
        let mut result = Self { pieces: Vec::new(), arguments: Vec::new() };
        let mut plain = Vec::new();
        let mut rest = format;
        while let Some((&byte, tail)) = rest.split_first() {
            if byte != b'%' {
                plain.push(byte);
                rest = tail;
                continue;
            }
            if tail.first() == Some(&b'%') {
                plain.push(b'%');
                rest = &tail[1..];
                continue;
            }
            let Some((length, stars, kind)) = conversion(tail) else {
                plain.push(byte);
                rest = tail;
                continue;
            };
            if result.arguments.len() + stars + 1 > MOST_ARGUMENTS {
                plain.extend_from_slice(rest);
                break;
            }
            if !plain.is_empty() {
                result.pieces.push(Piece::Plain(std::mem::take(&mut plain)));
            }
            (0..stars).for_each(|_| result.push(Kind::Word));
            result.push(kind);
            let mut text = vec![b'%'];
            text.extend_from_slice(&tail[..length]);
            // `conversion` accepts no NUL.
            let text = CString::new(text).unwrap_or_default();
            result.pieces.push(Piece::Conversion { text, stars, kind });
            rest = &tail[length..];
        }
        if !plain.is_empty() {
            result.pieces.push(Piece::Plain(plain));
        }
        result
    }

    fn push(&mut self, kind: Kind) {
        let end = self.buffer_bytes();
        self.arguments.push((kind, end.next_multiple_of(kind.size())));
    }

    /// Bytes of the argument buffer.
    pub fn buffer_bytes(&self) -> usize {
        self.arguments.last().map_or(0, |&(kind, offset)| offset + kind.size())
    }

    /// How many arguments it takes.
    pub fn arguments(&self) -> usize {
        self.arguments.len()
    }

    /// Offsets in the buffer of the addresses of strings.
    pub fn texts(&self) -> impl Iterator<Item = usize> + '_ {
        self.arguments.iter().filter(|(kind, _)| *kind == Kind::Text).map(|&(_, offset)| offset)
    }

    /// The text. `strings` are the strings in the order of [`Format::texts`].
    pub fn print(&self, buffer: &[u8], strings: &[CString]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut arguments = self.arguments.iter();
        let mut strings = strings.iter();
        let word = |offset: usize| bytes(buffer, offset).map_or(0, i32::from_le_bytes);
        for piece in &self.pieces {
            let (text, stars, kind) = match piece {
                Piece::Plain(plain) => {
                    out.extend_from_slice(plain);
                    continue;
                }
                Piece::Conversion { text, stars, kind } => (text, *stars, *kind),
            };
            let mut star = [0; 2];
            for value in star.iter_mut().take(stars) {
                *value = arguments.next().map_or(0, |&(_, offset)| word(offset));
            }
            let offset = arguments.next().map_or(0, |&(_, offset)| offset);
            let long = bytes(buffer, offset).map_or(0, u64::from_le_bytes);
            let written = match kind {
                Kind::Word => Print::of(text, &star[..stars], word(offset)),
                Kind::Long => Print::of(text, &star[..stars], long),
                Kind::Double => Print::of(text, &star[..stars], f64::from_bits(long)),
                Kind::Text => {
                    Print::of(text, &star[..stars], strings.next().map_or(c"".as_ptr(), |string| string.as_ptr()))
                }
            };
            out.extend_from_slice(&written);
        }
        out
    }
}

fn bytes<const N: usize>(buffer: &[u8], offset: usize) -> Option<[u8; N]> {
    buffer.get(offset..offset + N)?.try_into().ok()
}

/// Length of a conversion behind its `%`, its number of `*`, and the kind of its argument.
fn conversion(text: &[u8]) -> Option<(usize, usize, Kind)> {
    let mut at = 0;
    let mut stars = 0;
    let skip = |at: &mut usize, set: &[u8]| {
        while text.get(*at).is_some_and(|byte| set.contains(byte)) {
            *at += 1;
        }
    };
    let mut number = |at: &mut usize| {
        if text.get(*at) == Some(&b'*') {
            *at += 1;
            stars += 1;
        } else {
            skip(at, b"0123456789");
        }
    };
    skip(&mut at, b"-+ #0");
    let width = at;
    number(&mut at);
    // C would count to any width, however long that takes.
    if at - width > 5 {
        return None;
    }
    if text.get(at) == Some(&b'.') {
        at += 1;
        let precision = at;
        number(&mut at);
        if at - precision > 5 {
            return None;
        }
    }
    let modifier = at;
    skip(&mut at, b"hlqjzt");
    let long = text[modifier..at].iter().any(|byte| b"lqjzt".contains(byte));
    let kind = match text.get(at)? {
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' if long => Kind::Long,
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' => Kind::Word,
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => Kind::Double,
        b'p' => Kind::Long,
        b's' => Kind::Text,
        _ => return None,
    };
    // Wide characters and strings are not part of device printf; C would read another type.
    let plain = !matches!(text[at], b'c' | b's' | b'p') || modifier == at;
    (plain && at - modifier <= 2).then_some((at + 1, stars, kind))
}

/// What C's `snprintf` can take as the argument of one conversion.
struct Print;

impl Print {
    fn of<T: Copy>(format: &CString, stars: &[i32], value: T) -> Vec<u8> {
        // A width or precision beyond the bound would make C itself work for long.
        let star = |i: usize| stars[i].clamp(-(MOST_BYTES as i32), MOST_BYTES as i32) as c_int;
        let mut out = vec![0u8; 128];
        loop {
            let (start, length) = (out.as_mut_ptr().cast::<c_char>(), out.len());
            // SAFETY: `start` is valid for `length` bytes; the format has exactly one conversion, preceded by as many `*` as
            // `stars` has; `conversion` chose the type of `value` by the conversion's letter and modifiers, as C does.
            let needed = unsafe {
                match stars.len() {
                    0 => libc::snprintf(start, length, format.as_ptr(), value),
                    1 => libc::snprintf(start, length, format.as_ptr(), star(0), value),
                    _ => libc::snprintf(start, length, format.as_ptr(), star(0), star(1), value),
                }
            };
            let needed = usize::try_from(needed).unwrap_or(0);
            if needed < length {
                out.truncate(needed);
                return out;
            }
            if length > MOST_BYTES {
                out.truncate(length - 1);
                return out;
            }
            out.resize((needed + 1).min(MOST_BYTES + 1), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(format: &str, buffer: &[u8], strings: &[&str]) -> String {
        let strings: Vec<CString> = strings.iter().map(|s| CString::new(*s).unwrap()).collect();
        String::from_utf8(Format::parse(format.as_bytes()).print(buffer, &strings)).unwrap()
    }

    #[test]
    fn arguments_sit_at_multiples_of_their_sizes() {
        let format = Format::parse(b"%d %f %d %s %c %lld");
        assert_eq!(format.arguments(), 6);
        assert_eq!(format.buffer_bytes(), 48);
        assert_eq!(format.texts().collect::<Vec<_>>(), [24]);
        let mut buffer = [0u8; 48];
        buffer[..4].copy_from_slice(&(-7i32).to_le_bytes());
        buffer[8..16].copy_from_slice(&1.5f64.to_le_bytes());
        buffer[16..20].copy_from_slice(&9i32.to_le_bytes());
        buffer[32..36].copy_from_slice(&i32::from(b'x').to_le_bytes());
        buffer[40..].copy_from_slice(&(1i64 << 40).to_le_bytes());
        assert_eq!(print("%d %f %d %s %c %lld", &buffer, &["hi"]), "-7 1.500000 9 hi x 1099511627776");
    }

    #[test]
    fn widths_flags_and_stars() {
        let words: Vec<u8> = [6i32, 2, 0, 0].iter().flat_map(|w| w.to_le_bytes()).chain(2.5f64.to_le_bytes()).collect();
        // The two stars take 8 bytes, the double the next 8.
        let buffer: Vec<u8> = words[..8].iter().chain(&words[16..]).copied().collect();
        assert_eq!(print("[%*.*f]", &buffer, &[]), "[  2.50]");
        assert_eq!(print("[%-5d][%05u][%#x]", &words[..12], &[]), "[6    ][00002][0]");
        assert_eq!(print("100%% %5s|%.1s", &[0; 16], &["ab", "cd"]), "100%    ab|c");
    }

    #[test]
    fn nonsense_stays_text_and_widths_are_bounded() {
        assert_eq!(print("%y %", &[], &[]), "%y %");
        assert_eq!(print("%ls", &[0; 8], &[]), "%ls");
        assert_eq!(print("%999999d", &[0; 4], &[]), "%999999d");
        assert_eq!(print("%99999d", &[0; 4], &[]).len(), MOST_BYTES);
        assert_eq!(print("%*d", &[0xff, 0xff, 0xff, 0x7f, 1, 0, 0, 0], &[]).len(), MOST_BYTES);
    }

    #[test]
    fn more_than_32_arguments_are_not_read() {
        let many = "%d".repeat(40);
        assert_eq!(Format::parse(many.as_bytes()).arguments(), 32);
    }
}
