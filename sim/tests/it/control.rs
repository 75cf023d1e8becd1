//! The control plane of a running platform, and what its orders do to the services.
mod hooks;
mod hostile;
mod together;
mod trading;
