//! Judges the operands of an instruction by the forms that its words and types fit: their number and kind, and the type of each
//! register (PTX ISA, sections 9.2 to 9.4).
//!
//! Registers and instruction types agree when they have one size, and one of them is untyped or both are integers or both are floats.
//! `ld`, `st` and `cvt` also take registers that are wider than the type. Constants are converted to the type of their place: `1.0`
//! is 32 bits wide in `add.f32`.

use crate::Opcode;
use crate::ast::{AddressBase, Body, Geometry, Operand, Reg, Special, Type};
use crate::form::{Kind, Pattern, Slot, Spelling};
use crate::types::Class;

/// Checks the operands of one instruction against every form it may have, and converts its constants.
///
/// # Errors
/// What is wrong by the form that came closest.
pub(crate) fn operands(spelling: &Spelling, operands: &mut [Operand], body: &Body) -> Result<(), String> {
    let mut furthest: Option<(usize, String)> = None;
    for pattern in &spelling.patterns {
        match judge(pattern, spelling, operands, body) {
            Ok(()) => {
                convert(pattern, spelling, operands);
                return Ok(());
            }
            Err(complaint) => {
                if furthest.as_ref().is_none_or(|furthest| furthest.0 < complaint.0) {
                    furthest = Some(complaint);
                }
            }
        }
    }
    Err(furthest.map_or_else(|| "it has no form".to_owned(), |(_, complaint)| complaint))
}

/// The slots that this instruction fills: those that may be absent drop out where it has fewer operands, the policy where it has none.
fn filled<'p>(pattern: &'p Pattern, spelling: &Spelling, given: usize) -> impl Iterator<Item = &'p Slot> {
    let hinted = spelling.modifiers.hints.iter().any(|hint| hint.ends_with("::cache_hint"));
    let there = move |slot: &&Slot| hinted || slot.kind != Kind::Policy;
    let most = pattern.slots.iter().filter(there).count();
    let mut surplus = most.saturating_sub(given);
    // Of several that may be absent, the last drop out first.
    let absent = pattern.slots.iter().filter(there).filter(|slot| slot.optional).count().saturating_sub(surplus);
    let mut kept = 0;
    pattern.slots.iter().filter(there).filter(move |slot| {
        if !slot.optional || surplus == 0 {
            return true;
        }
        kept += 1;
        let keep = kept <= absent;
        surplus -= usize::from(!keep);
        keep
    })
}

fn judge(pattern: &Pattern, spelling: &Spelling, operands: &[Operand], body: &Body) -> Result<(), (usize, String)> {
    let wanted = filled(pattern, spelling, operands.len()).count();
    if wanted != operands.len() {
        return Err((0, format!("{} operands instead of {wanted}", operands.len())));
    }
    let check = Check { spelling, body };
    for (index, (operand, slot)) in operands.iter().zip(filled(pattern, spelling, operands.len())).enumerate() {
        check.slot(operand, slot).map_err(|message| (index + 1, format!("operand {}: {message}", index + 1)))?;
    }
    Ok(())
}

struct Check<'c> {
    spelling: &'c Spelling,
    body: &'c Body,
}

type Verdict = Result<(), String>;

fn need(truth: bool, what: &str) -> Verdict {
    if truth { Ok(()) } else { Err(format!("{what} is needed")) }
}

impl Check<'_> {
    fn slot(&self, operand: &Operand, slot: &Slot) -> Verdict {
        if let Operand::Pair(first, second) = operand {
            let Some((kind, _)) = slot.second else { return Err("no second destination is allowed".to_owned()) };
            self.kind(first, slot.kind, true)?;
            return self.kind(second, kind, true);
        }
        need(!matches!(slot.second, Some((_, true))), "a second destination")?;
        self.kind(operand, slot.kind, slot.written)
    }

    fn kind(&self, operand: &Operand, kind: Kind, written: bool) -> Verdict {
        let ty = self.spelling.types.first().copied().unwrap_or(Type::B32);
        match kind {
            Kind::Typed(position) => {
                let ty = self.spelling.types.get(position).copied().unwrap_or(Type::B32);
                self.scalar(operand, ty, written)
            }
            Kind::Wide => self.integer(operand, ty.size() * 2, written),
            Kind::Vector => match operand {
                Operand::Vector(elements) => {
                    let wanted = usize::from(self.spelling.modifiers.vector);
                    // A vector of one stands for its element.
                    if elements.len() != wanted {
                        return Err(format!("{} elements instead of {wanted}", elements.len()));
                    }
                    elements.iter().try_for_each(|element| self.element(element, ty, written))
                }
                _ if self.spelling.modifiers.vector > 1 => need(false, "a vector"),
                _ => self.scalar(operand, ty, written),
            },
            Kind::Unpacked => match operand {
                Operand::Vector(elements) if matches!(elements.len(), 2 | 4 | 8) => {
                    let size = ty.size() / elements.len() as u32;
                    need(size > 0, "a shorter vector")?;
                    elements.iter().try_for_each(|element| self.sized(element, size, written))
                }
                _ => need(false, "a vector of two or four"),
            },
            Kind::Sized(size) => self.integer(operand, size, written),
            Kind::Fragment(count, size) => match operand {
                Operand::Vector(elements) => {
                    if elements.len() != count {
                        return Err(format!("{} elements instead of {count}", elements.len()));
                    }
                    elements.iter().try_for_each(|element| self.sized(element, size, written))
                }
                _ if count == 1 => self.sized(operand, size, written),
                _ => need(false, "a vector"),
            },
            Kind::Predicate => match operand {
                Operand::Register(register) => self.predicate(*register),
                _ => need(matches!(operand, Operand::Sink), "a predicate"),
            },
            Kind::Condition => match operand {
                Operand::Register(register) | Operand::NotRegister(register) => self.predicate(*register),
                Operand::Special(Special::IsExplicitCluster) => Ok(()),
                _ => need(matches!(operand, Operand::Integer(_)), "a predicate"),
            },
            Kind::Constant => need(matches!(operand, Operand::Integer(_)), "an integer constant"),
            Kind::Address => match operand {
                Operand::Address(base, _) => self.address(base),
                _ => need(false, "an address"),
            },
            Kind::Object => need(matches!(operand, Operand::Address(..)), "the address of a texture or surface"),
            Kind::Texel => match operand {
                Operand::Texel { coordinates, .. } => {
                    let wanted = self.coordinates();
                    need(wanted.contains(&coordinates.len()), "another number of coordinates")?;
                    coordinates.iter().try_for_each(|coordinate| self.sized(coordinate, 4, false))
                }
                _ => need(false, "a place in a texture or surface"),
            },
            Kind::Label => need(matches!(operand, Operand::Label(_)), "a label"),
            Kind::Targets => need(matches!(operand, Operand::Targets(_)), "a list of targets"),
            Kind::Policy => self.sized(operand, 8, false),
            Kind::Sink => need(matches!(operand, Operand::Sink), "`_`"),
            Kind::Any => Ok(()),
        }
    }

    fn predicate(&self, register: Reg) -> Verdict {
        let register = &self.body.registers[register.0 as usize];
        if register.ty == Type::Pred { Ok(()) } else { Err(format!("`{}` is no predicate", register.name)) }
    }

    /// Addresses are 64 bits wide; narrower registers are extended, which only windows of 4 GiB and less make use of.
    fn address(&self, base: &AddressBase) -> Verdict {
        let AddressBase::Register(register) = base else { return Ok(()) };
        let register = &self.body.registers[register.0 as usize];
        let fits = matches!(register.ty.class(), Class::Bits | Class::Integer) && matches!(register.ty.size(), 4 | 8);
        if fits { Ok(()) } else { Err(format!("`{}` (`.{}`) holds no address", register.name, register.ty.text())) }
    }

    /// An element of a vector: mostly its size alone decides.
    fn element(&self, operand: &Operand, ty: Type, written: bool) -> Verdict {
        match operand {
            _ if ty.class() == Class::Packed => self.scalar(operand, ty, written),
            Operand::Register(register) if self.relaxed() => {
                let found = self.body.registers[register.0 as usize].ty;
                if (ty.class(), found.class()) == (Class::Integer, Class::Float) {
                    return self.scalar(operand, ty, written);
                }
                let fits = found != Type::Pred && found.size() >= ty.size();
                if fits { Ok(()) } else { self.sized(operand, ty.size(), written) }
            }
            _ => self.sized(operand, ty.size(), written),
        }
    }

    /// How many coordinates the geometry has; a fourth may fill a vector of three.
    fn coordinates(&self) -> std::ops::RangeInclusive<usize> {
        match self.spelling.modifiers.geometry {
            None | Some(Geometry::D1) => 1..=1,
            Some(Geometry::D2 | Geometry::A1d) => 2..=2,
            Some(Geometry::D3 | Geometry::A2d | Geometry::Cube) => 3..=4,
            Some(Geometry::Acube | Geometry::D2ms | Geometry::A2dms) => 4..=4,
        }
    }

    /// Whether registers may be wider than the type.
    fn relaxed(&self) -> bool {
        matches!(
            self.spelling.opcode,
            Opcode::Ld | Opcode::Ldu | Opcode::St | Opcode::Cvt | Opcode::Suld | Opcode::Sust
        )
    }

    fn scalar(&self, operand: &Operand, ty: Type, written: bool) -> Verdict {
        if ty == Type::Pred {
            return self.kind(operand, if written { Kind::Predicate } else { Kind::Condition }, written);
        }
        let relaxed = self.relaxed();
        match operand {
            Operand::Register(register) => {
                let register = &self.body.registers[register.0 as usize];
                let found = register.ty;
                if found == Type::Pred {
                    return Err(format!("`{}` is a predicate", register.name));
                }
                let size = ty.size();
                let wider =
                    relaxed && found.size() > size && (ty.class(), found.class()) != (Class::Float, Class::Float);
                if ty.takes(found) && (found.size() == size || wider) {
                    return Ok(());
                }
                Err(format!("`{}` is `.{}`, not `.{}`", register.name, found.text(), ty.text()))
            }
            Operand::Float32(_) | Operand::Float64(_) if ty.class() == Class::Integer => {
                Err(format!("a float is no `.{}`", ty.text()))
            }
            Operand::Integer(_) if matches!(ty, Type::F32 | Type::F64) => {
                Err(format!("an integer is no `.{}`", ty.text()))
            }
            _ => self.sized(operand, ty.size(), written),
        }
    }

    /// As [`Check::sized`], but no register for floats.
    fn integer(&self, operand: &Operand, size: u32, written: bool) -> Verdict {
        if let Operand::Register(register) = operand {
            let register = &self.body.registers[register.0 as usize];
            if register.ty.class() == Class::Float {
                return Err(format!("`{}` (`.{}`) holds no integer", register.name, register.ty.text()));
            }
        }
        self.sized(operand, size, written)
    }

    /// A register, or where nothing is written a constant or name, of so many bytes.
    fn sized(&self, operand: &Operand, size: u32, written: bool) -> Verdict {
        match operand {
            Operand::Register(register) => {
                let register = &self.body.registers[register.0 as usize];
                if register.ty == Type::Pred {
                    Err(format!("`{}` is a predicate", register.name))
                } else if register.ty.size() == size {
                    Ok(())
                } else {
                    Err(format!("`{}` has {} bits instead of {}", register.name, register.ty.size() * 8, size * 8))
                }
            }
            Operand::Sink => Ok(()),
            _ if written => need(false, "a register"),
            Operand::Integer(_) | Operand::Float32(_) | Operand::Float64(_) => Ok(()),
            Operand::Special(special) => {
                let (narrowest, widest) = special_sizes(*special);
                match (narrowest..=widest).contains(&size) {
                    true => Ok(()),
                    false => Err(format!("a special register of {} bits", widest * 8)),
                }
            }
            Operand::Symbol(..) => need(size >= 4, "a register wide enough for an address"),
            Operand::NotRegister(_) => Err("`!` belongs to predicates".to_owned()),
            _ => need(false, "a register or constant"),
        }
    }
}

/// The fewest and the most bytes that a special register may be read as: some were 16 bits wide once.
fn special_sizes(special: Special) -> (u32, u32) {
    match special {
        Special::Tid(_) | Special::Ntid(_) | Special::Ctaid(_) | Special::Nctaid(_) => (2, 4),
        Special::GridId => (2, 8),
        Special::Clock64 | Special::GlobalTimer | Special::CurrentGraphExec | Special::Pm64(_) => (8, 8),
        Special::IsExplicitCluster => (0, 0),
        _ => (4, 4),
    }
}

/// Gives float constants the width of their place.
fn convert(pattern: &Pattern, spelling: &Spelling, operands: &mut [Operand]) {
    if !operands.iter().any(|operand| matches!(operand, Operand::Float32(_) | Operand::Float64(_) | Operand::Vector(_)))
    {
        return;
    }
    let given = operands.len();
    for (operand, slot) in operands.iter_mut().zip(filled(pattern, spelling, given)) {
        let ty = match slot.kind {
            Kind::Typed(position) => spelling.types.get(position),
            Kind::Vector => spelling.types.first(),
            _ => None,
        };
        let Some(&ty) = ty else { continue };
        match operand {
            Operand::Vector(elements) => elements.iter_mut().for_each(|element| resize(element, ty)),
            _ => resize(operand, ty),
        }
    }
}

fn resize(operand: &mut Operand, ty: Type) {
    match (&*operand, ty.size()) {
        (&Operand::Float64(bits), 4) => *operand = Operand::Float32((f64::from_bits(bits) as f32).to_bits()),
        (&Operand::Float32(bits), 8) => *operand = Operand::Float64(f64::from(f32::from_bits(bits)).to_bits()),
        _ => {}
    }
}
