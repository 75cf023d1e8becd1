//! Finds the process that has a port.
use listeners::{Protocol, get_process_by_port};

/// `process 1234 (anvil)`; `None` if the system does not tell, for example for another user's process.
pub(crate) fn holder(port: u16) -> Option<String> {
    let process = get_process_by_port(port, Protocol::TCP).ok()?;
    Some(format!("process {} ({})", process.pid, process.name))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::holder;

    #[test]
    fn own_ports_are_held_by_this_process() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let named = holder(port).unwrap();
        assert!(named.starts_with(&format!("process {} (", std::process::id())), "{named}");
        drop(listener);
        assert_eq!(holder(port), None);
    }
}
