//! A server whose answers are changed by mutants: every line passes as it is, but for the answers they concern.
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

use super::environment::Environment;
use super::frames::{Lines, Piece};
use super::process::Server;
use super::{WrapperError, WrapperOptions};
use crate::wire::{Answer, Wire, request_name};

/// Requests without an answer, by the text of their id.
type Pending = Arc<Mutex<BTreeMap<String, String>>>;

/// Runs the server on the standard streams of this process until it ends.
pub(super) async fn run(options: &WrapperOptions) -> Result<i32, WrapperError> {
    let environment = Environment::of_process(&options.variables);
    let mut server = Server::start(options, &environment).await?;
    let (input, output) = server.streams();
    let wire = Wire::default();
    wire.set(&options.mutants);
    let conversation = converse(wire, (tokio::io::stdin(), tokio::io::stdout()), (output, input));
    let (code, _) = tokio::join!(server.ended(), conversation);
    code.map_err(|source| WrapperError::Start { program: options.program.clone(), source })
}

/// Carries lines both ways until the server's output ends.
async fn converse<I, O, SO, SI>(
    wire: Wire,
    (from_peer, mut to_peer): (I, O),
    (from_server, mut to_server): (SO, SI),
) -> io::Result<()>
where
    I: AsyncRead + Unpin + Send + 'static,
    O: AsyncWrite + Unpin,
    SO: AsyncRead + Unpin,
    SI: AsyncWrite + Unpin + Send + 'static,
{
    let pending = Pending::default();
    let asked = Arc::clone(&pending);
    let feeding = tokio::spawn(async move {
        let mut lines = Lines::new(from_peer);
        while let Some(piece) = lines.next().await {
            let (Piece::Line(bytes) | Piece::Part(bytes)) = piece;
            if let Some(id) = id_of(&bytes) {
                asked.lock().unwrap_or_else(PoisonError::into_inner).insert(id, request_name("", "", &bytes));
            }
            to_server.write_all(&bytes).await?;
            to_server.flush().await?;
        }
        to_server.shutdown().await
    });
    let mut lines = Lines::new(from_server);
    while let Some(piece) = lines.next().await {
        let bytes = match piece {
            Piece::Line(line) => changed(&wire, &pending, line),
            Piece::Part(part) => part,
        };
        to_peer.write_all(&bytes).await?;
        to_peer.flush().await?;
    }
    feeding.abort();
    Ok(())
}

fn id_of(line: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(line).ok()?;
    message.get("id").map(Value::to_string)
}

/// An answer as the mutants change it; any other line as it is.
fn changed(wire: &Wire, pending: &Pending, line: Vec<u8>) -> Vec<u8> {
    let request =
        id_of(&line).and_then(|id| pending.lock().unwrap_or_else(PoisonError::into_inner).remove(&id));
    let (Some(request), Ok(mut body)) = (request, serde_json::from_slice::<Value>(&line)) else {
        return line;
    };
    let mut answer = Answer { status: None, headers: &mut Vec::new(), body: &mut body };
    if wire.apply("tool-server", &request, &mut answer) {
        let mut text = body.to_string().into_bytes();
        text.push(b'\n');
        text
    } else {
        line
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;
    use crate::wire::{Kind, Mutant, Part, Scope};

    #[tokio::test]
    async fn the_answer_of_a_mutant_is_changed_and_every_other_line_is_not() {
        let request = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wallet_info"}}"#;
        let wire = Wire::default();
        wire.set(&[Mutant {
            service: "tool-server".to_owned(),
            endpoint: "wallet_info".to_owned(),
            scope: Scope::Answer(request_name("", "", request)),
            part: Part::Body("/result/ready".to_owned()),
            kind: Kind::Nulled,
        }]);
        let (mut peer, near) = duplex(4096);
        let (server, mut inside) = duplex(4096);
        let (from_peer, to_peer) = tokio::io::split(near);
        let (from_server, to_server) = tokio::io::split(server);
        let talk = tokio::spawn(converse(wire, (from_peer, to_peer), (from_server, to_server)));
        peer.write_all(&[&request[..], b"\n"].concat()).await.unwrap();
        let mut heard = vec![0; request.len() + 1];
        inside.read_exact(&mut heard).await.unwrap();
        assert_eq!(&heard[..request.len()], request);
        let lines =
            "no json\n{\"id\":8, \"result\":{\"ready\":true}}\n{\"id\":7,\"result\":{\"ready\":true}}\n";
        inside.write_all(lines.as_bytes()).await.unwrap();
        drop(inside);
        let expected =
            "no json\n{\"id\":8, \"result\":{\"ready\":true}}\n{\"id\":7,\"result\":{\"ready\":null}}\n";
        let mut answered = vec![0; expected.len()];
        peer.read_exact(&mut answered).await.unwrap();
        assert_eq!(String::from_utf8(answered).unwrap(), expected);
        talk.await.unwrap().unwrap();
    }
}
