//! Notes: correct programs that could be faster or say more clearly what they mean. They never change the exit
//! code.

pub mod no_overlap;
pub mod null_stream;
pub mod outcome;
pub mod same_value;
pub mod storm;
