//! The targets of checks and commands: a platform of this program, one elsewhere, or a container; and the variables that tell a program its
//! addresses.
pub(crate) mod address;
pub(crate) mod container;
pub(crate) mod external;
pub(crate) mod holder;
pub(crate) mod local;
pub(crate) mod tool_server;
pub(crate) mod variables;
pub(crate) mod wait;
