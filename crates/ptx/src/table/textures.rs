//! Textures and surfaces (PTX ISA, sections 9.7.10 and 9.7.11).

use super::{Form, Opcode::*, form};

const TEXEL: &str = "u32 s32 f32 f16";
const COORDINATE: &str = "s32 f32";
const SURFACE: &str = "b8 b16 b32";

pub(super) const FORMS: &[Form] = &[
    form(Tex, "1d|2d|3d|a1d|a2d v4", &[TEXEL, COORDINATE], "=v|p T x? x?", 15, 10),
    form(Tex, "cube|acube v4", &[TEXEL, "f32"], "=v|p T x?", 34, 20),
    form(Tex, "2dms|a2dms v4", &[TEXEL, "s32"], "=v|p T x?", 32, 30),
    form(Tex, "1d|2d|3d|a1d|a2d v2", &["f16x2", COORDINATE], "=v|p T x? x?", 42, 53),
    form(Tex, "base 1d|2d|3d|a1d|a2d v4", &[TEXEL, COORDINATE], "=v|p T x? x?", 34, 20),
    form(Tex, "level 1d|2d|3d|a1d|a2d v4", &[TEXEL, COORDINATE], "=v|p T x x? x?", 31, 20),
    form(Tex, "level cube|acube v4", &[TEXEL, "f32"], "=v|p T x x?", 34, 20),
    form(Tex, "grad 1d|2d|3d|a1d|a2d|cube|acube v4", &[TEXEL, "f32"], "=v|p T x x x? x?", 31, 20),
    form(Tld4, "r|g|b|a 2d|a2d|cube|acube v4", &["u32 s32 f32", "f32"], "=v|p T x? x?", 32, 20),
    form(
        Txq,
        "width|height|depth|channel_data_type|channel_order|normalized_coords|array_size|num_mipmap_levels|num_samples|filter_mode|\
         addr_mode_0|addr_mode_1|addr_mode_2|force_unnormalized_coords",
        &["b32"],
        "=0 M",
        15,
        10,
    ),
    form(Txq, "level width|height|depth", &["b32"], "=0 M r", 32, 30),
    form(Istypep, "", &["texref samplerref surfref"], "=p q", 40, 30),
    form(Suld, "b 1d|2d|3d|a1d|a2d v2|v4? ca|cg|cs|cv? trap|clamp|zero", &[SURFACE], "=v T", 15, 20),
    form(Suld, "b 1d|2d|3d|a1d|a2d v2? ca|cg|cs|cv? trap|clamp|zero", &["b64"], "=v T", 15, 20),
    form(Sust, "b 1d|2d|3d|a1d|a2d v2|v4? wb|cg|cs|wt? trap|clamp|zero", &[SURFACE], "T v", 15, 20),
    form(Sust, "b 1d|2d|3d|a1d|a2d v2? wb|cg|cs|wt? trap|clamp|zero", &["b64"], "T v", 15, 20),
    form(Sust, "p 1d|2d|3d|a1d|a2d v2|v4? wb|cg|cs|wt? trap|clamp|zero", &["b32"], "T v", 15, 20),
    form(Sured, "b add|min|max 1d|2d|3d trap|clamp|zero", &["u32 s32 u64"], "T 0", 30, 20),
    form(Sured, "b min|max 1d|2d|3d trap|clamp|zero", &["s64"], "T 0", 81, 50),
    form(Sured, "b and|or 1d|2d|3d trap|clamp|zero", &["b32"], "T 0", 30, 20),
    form(Sured, "p add|min|max|and|or 1d|2d|3d trap|clamp|zero", &["b32"], "T 0", 30, 20),
    form(Suq, "width|height|depth|channel_data_type|channel_order|array_size|memory_layout", &["b32"], "=0 M", 15, 10),
];
