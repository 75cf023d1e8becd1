//! What is checked or used: a platform of this program, one elsewhere, or a container; and what tells a program its addresses.
pub(crate) mod address;
pub(crate) mod container;
pub(crate) mod external;
pub(crate) mod holder;
pub(crate) mod local;
pub(crate) mod tool_server;
pub(crate) mod variables;
pub(crate) mod wait;
