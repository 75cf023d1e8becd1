//! Lines of a byte stream: read whole, and written in order.
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;

/// The next line with its end, or what comes after the last one; nothing at the end, or when reading fails.
pub(super) async fn next_line(input: &mut BufReader<impl AsyncRead + Unpin>) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line).await.ok().filter(|count| *count > 0)?;
    Some(line)
}

/// Writes what comes through a channel, and closes the stream when the channel ends or an empty piece comes.
pub(super) async fn write_all<W: AsyncWrite + Unpin>(
    mut output: W,
    mut pieces: mpsc::UnboundedReceiver<Vec<u8>>,
) {
    while let Some(piece) = pieces.recv().await {
        let written = output.write_all(&piece).await.is_ok() && output.flush().await.is_ok();
        if piece.is_empty() || !written {
            break;
        }
    }
    // A reader that has gone needs no proper end.
    drop(output.shutdown().await);
}
