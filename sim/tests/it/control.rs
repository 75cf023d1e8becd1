//! The control plane of a running platform, and the effects of its orders on the services.
mod hooks;
mod hostile;
mod together;
mod trading;
