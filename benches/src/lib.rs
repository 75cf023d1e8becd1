//! What measurements compare, and the proof that the compared answers are equal. Leaves out the measuring itself, which lies in `benches/`.
pub mod evm;
pub mod states;
pub mod v1;
