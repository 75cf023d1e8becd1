//! Lines of a byte stream: read whole, and written in order.
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::sync::mpsc;

/// Longest line, in bytes: more than either side accepts.
const LONGEST_LINE: u64 = 32 << 20;

/// The next line with its end, or what follows the last one; `None` at the end, if reading fails, or if a line is too long.
pub(super) async fn next_line(input: &mut BufReader<impl AsyncRead + Unpin>) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let read = input.take(LONGEST_LINE).read_until(b'\n', &mut line).await.ok()?;
    (read > 0 && (read as u64) < LONGEST_LINE).then_some(line)
}

/// Writes the pieces from a channel, and closes the stream when the channel ends or an empty piece arrives.
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
    // A reader that has disconnected needs no orderly close.
    drop(output.shutdown().await);
}
