//! A group of processes: a program and what it has started.
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Child;

/// A group of processes, killed when dropped.
#[derive(Debug)]
pub struct ProcessGroup(Pid);

impl ProcessGroup {
    /// The group that a process leads.
    #[must_use]
    pub fn led_by(leader: Pid) -> Self {
        Self(leader)
    }

    /// The group that a child leads; `None` if somebody has waited for its end.
    #[must_use]
    pub fn of_child(child: &Child) -> Option<Self> {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        id.and_then(Pid::from_raw).map(Self)
    }

    /// Its number.
    #[must_use]
    pub fn number(&self) -> Pid {
        self.0
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // Usually the group has already ended.
        _ = kill_process_group(self.0, Signal::KILL);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::task::yield_now;
    use tokio::time::timeout;

    use crate::client::stdio::{Line, Stdio};
    use crate::model::target::ToolServerCommand;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn what_a_server_has_started_ends_with_it() {
        let server = ToolServerCommand {
            program: "sh".into(),
            arguments: ["-c", "sleep 1000 & echo $!; exec cat"].map(str::to_owned).into(),
            ..ToolServerCommand::default()
        };
        let mut child = Stdio::spawn(&server, &[]).unwrap();
        let Line::Text(pid) = child.line(PATIENCE).await.unwrap() else { panic!("no line") };
        let stat = format!("/proc/{}/stat", String::from_utf8(pid).unwrap());
        let lives = || {
            let stat = std::fs::read_to_string(&stat).unwrap_or_default();
            stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'))
        };
        assert!(lives());
        drop(child);
        let ended = async {
            while lives() {
                yield_now().await;
            }
        };
        timeout(PATIENCE, ended).await.unwrap();
    }
}
