//! The description of a platform in the image's labels `io.slipway.*`; the `[container]` table of `slipway.toml` overrides them.
use std::collections::{BTreeMap, HashMap};

use slipway_contracts::ChainId;
use slipway_scenarios::client::stdio::TOOL_SERVER_VARIABLES;

use super::error::ContainerError;
use crate::files::target_file::ContainerTable;

/// Prefix of all our labels.
const PREFIX: &str = "io.slipway.";
/// Prefix of the labels with the port of a part.
const PORT: &str = "io.slipway.port.";
/// Prefix of the labels with the tool server's own names of the interface's variables.
const TOOL_SERVER_VARIABLE: &str = "io.slipway.tool-server.variable.";

/// A part of a platform that listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Rest,
    Swap,
    Control,
    Rpc(u64),
}

impl Part {
    fn named(name: &str) -> Option<Self> {
        match name {
            "rest" => Some(Self::Rest),
            "swap" => Some(Self::Swap),
            "control" => Some(Self::Control),
            _ => ChainId::named(name.strip_prefix("rpc.").unwrap_or(name)).map(|chain| Self::Rpc(chain.0)),
        }
    }
}

/// How to start a platform from an image and reach it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Description {
    /// Ports inside the container.
    pub(super) ports: BTreeMap<Part, u16>,
    /// Command of the tool server, shell-quoted.
    pub(super) tool_server: Option<String>,
    /// The tool server's own names of the interface's variables.
    pub(super) tool_server_variables: BTreeMap<String, String>,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) operator_key_variable: Option<String>,
    pub(super) control_token_variable: Option<String>,
    /// Variable for the public address of the REST service.
    pub(super) public_url_variable: Option<String>,
    /// Keys of funded accounts, for tests only.
    pub(super) private_keys: Vec<String>,
}

impl Description {
    /// Reads the labels of an image; the target file overrides them.
    pub(super) fn read(
        image: &str,
        labels: &HashMap<String, String>,
        file: &ContainerTable,
    ) -> Result<Self, ContainerError> {
        let mut description = Self::default();
        for (label, value) in labels.iter().filter(|(label, _)| label.starts_with(PREFIX)) {
            let wrong = || ContainerError::Label {
                image: image.to_owned(),
                label: label.clone(),
                value: value.clone(),
            };
            if let Some(part) = label.strip_prefix(PORT) {
                let port = value.parse().ok().filter(|port| *port != 0).ok_or_else(wrong)?;
                description.ports.insert(Part::named(part).ok_or_else(wrong)?, port);
            } else if let Some(name) = label.strip_prefix(TOOL_SERVER_VARIABLE) {
                if !TOOL_SERVER_VARIABLES.contains(&name) {
                    return Err(wrong());
                }
                description.tool_server_variables.insert(name.to_owned(), value.clone());
            } else {
                match label.strip_prefix(PREFIX).unwrap_or_default() {
                    "tool-server" => description.tool_server = Some(value.clone()),
                    "operator-key-variable" => description.operator_key_variable = Some(value.clone()),
                    "control-token-variable" => description.control_token_variable = Some(value.clone()),
                    "public-url-variable" => description.public_url_variable = Some(value.clone()),
                    "private-keys" => {
                        description.private_keys =
                            value.split(',').map(|key| key.trim().to_owned()).collect();
                    }
                    _ => return Err(wrong()),
                }
            }
        }
        for (name, port) in &file.ports {
            let part = Part::named(name).ok_or_else(|| ContainerError::Part { name: name.clone() })?;
            if *port == 0 {
                return Err(ContainerError::PortZero { name: name.clone() });
            }
            description.ports.insert(part, *port);
        }
        description.environment.clone_from(&file.environment);
        for (given, described) in [
            (&file.tool_server, &mut description.tool_server),
            (&file.operator_key_variable, &mut description.operator_key_variable),
            (&file.control_token_variable, &mut description.control_token_variable),
            (&file.public_url_variable, &mut description.public_url_variable),
        ] {
            if given.is_some() {
                described.clone_from(given);
            }
        }
        if description.ports.is_empty() {
            return Err(ContainerError::NoPorts { image: image.to_owned() });
        }
        Ok(description)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(labels: &[(&str, &str)], file: &ContainerTable) -> Result<Description, ContainerError> {
        let labels = labels.iter().map(|(label, value)| ((*label).to_owned(), (*value).to_owned())).collect();
        Description::read("some/image:1", &labels, file)
    }

    #[test]
    fn labels_are_read_and_the_target_file_goes_before_them() {
        let labels = [
            ("io.slipway.port.rest", "4700"),
            ("io.slipway.port.rpc.57073", "4703"),
            ("io.slipway.tool-server", "server --stdio"),
            ("io.slipway.tool-server.variable.SERVICE_BASE_URL", "BASE"),
            ("io.slipway.private-keys", "0x1, 0x2"),
            ("org.opencontainers.image.title", "other"),
        ];
        let found = read(&labels, &ContainerTable::default()).unwrap();
        assert_eq!(found.ports, BTreeMap::from([(Part::Rest, 4700), (Part::Rpc(57073), 4703)]));
        assert_eq!(found.tool_server.as_deref(), Some("server --stdio"));
        assert_eq!(found.tool_server_variables["SERVICE_BASE_URL"], "BASE");
        assert_eq!(found.private_keys, ["0x1", "0x2"]);
        let file = ContainerTable {
            ports: BTreeMap::from([("rest".to_owned(), 80), ("4663".to_owned(), 81)]),
            tool_server: Some("mine".to_owned()),
            ..ContainerTable::default()
        };
        let found = read(&labels, &file).unwrap();
        assert_eq!((found.ports[&Part::Rest], found.ports[&Part::Rpc(4663)]), (80, 81));
        assert_eq!(found.tool_server.as_deref(), Some("mine"));
    }

    #[test]
    fn unknown_labels_parts_and_ports_are_refused_by_name() {
        for (label, value) in [
            ("io.slipway.port.rest", "http"),
            ("io.slipway.port.rest", "0"),
            ("io.slipway.port.other", "80"),
            ("io.slipway.toolserver", "x"),
            ("io.slipway.tool-server.variable.SERVICE_BASE_URI", "BASE"),
        ] {
            let error = read(&[(label, value)], &ContainerTable::default()).unwrap_err().to_string();
            assert!(error.contains(label), "{error}");
        }
        let named = |name: &str, port| ContainerTable {
            ports: BTreeMap::from([(name.to_owned(), port)]),
            ..ContainerTable::default()
        };
        assert!(matches!(read(&[], &named("rest", 0)), Err(ContainerError::PortZero { .. })));
        assert!(matches!(read(&[], &named("web", 80)), Err(ContainerError::Part { .. })));
        assert!(matches!(read(&[], &ContainerTable::default()), Err(ContainerError::NoPorts { .. })));
    }
}
