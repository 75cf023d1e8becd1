//! Errors before a platform in a container answers.
use crate::error::Fatal;
use crate::exit::Exit;

/// Why no platform could be started from an image.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ContainerError {
    #[error(
        "no container engine answers ({reason}): install one (Debian: apt-get install docker.io), start it, or set DOCKER_HOST"
    )]
    NoEngine { reason: String },
    #[error("the container engine failed: {reason}")]
    Engine { reason: String },
    #[error("there is no image {image:?} here: load it (docker load -i FILE) or pull it first")]
    NoImage { image: String },
    #[error("image {image:?}: the label {label} does not say {value:?}")]
    Label { image: String, label: String, value: String },
    #[error("[container] ports: there is no part {name:?}; there are rest, swap, control, 57073 and 4663")]
    Part { name: String },
    #[error("[container] ports: {name} is 0; give the port that it listens on inside the container")]
    PortZero { name: String },
    #[error(
        "image {image:?} does not say where its platform listens: give it labels such as io.slipway.port.rest=4700, or slipway.toml a table [container]"
    )]
    NoPorts { image: String },
    #[error("a container of {image:?} does not start: {reason}")]
    Start { image: String, reason: String },
    #[error("the platform in {image:?} did not start: {reason}; its last lines:\n{log}")]
    NotReady { image: String, reason: String, log: String },
    #[error("the platform in {image:?} ended amid the checks; its last lines:\n{log}")]
    Ended { image: String, log: String },
}

impl Fatal for ContainerError {
    fn exit(&self) -> Exit {
        match self {
            Self::Label { .. } | Self::Part { .. } | Self::PortZero { .. } | Self::NoPorts { .. } => {
                Exit::Usage
            }
            _ => Exit::Inconclusive,
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the tool server in its container: {reason}")]
pub(crate) struct InsideError {
    pub(crate) reason: String,
}

impl Fatal for InsideError {}
