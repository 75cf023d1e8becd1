//! The tool server over a duplex stream, beside a scripted chain, a scripted service and scripted names.
mod arguments;
mod client;
mod configuration;
mod defects;
mod host;
mod launching;
mod links;
mod names;
mod protocol;
mod reading;
mod real;
mod secrets;
