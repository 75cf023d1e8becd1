//! Lines of a byte stream: read whole as far as they are of bearable length, and written in order.
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;

/// Longer lines are passed on in pieces, unread.
const LONGEST_LINE: usize = 32 * 1024 * 1024;

/// A piece of input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A line with its end, or what comes after the last one.
    Line(Vec<u8>),
    /// Part of a line that is too long to be read.
    Part(Vec<u8>),
}

/// Reads a stream line by line.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    longest: usize,
    in_part: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input: BufReader::new(input), longest: LONGEST_LINE, in_part: false }
    }

    /// The next piece; nothing at the end, or when reading fails.
    pub(super) async fn next(&mut self) -> Option<Piece> {
        let mut line = Vec::new();
        loop {
            let available = self.input.fill_buf().await.unwrap_or_default();
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            let ended = taken == 0;
            line.extend_from_slice(&available[..taken]);
            self.input.consume(taken);
            if newline.is_some() || ended || line.len() >= self.longest || self.in_part {
                break;
            }
        }
        let complete = line.last() == Some(&b'\n');
        let part = self.in_part || (!complete && line.len() >= self.longest);
        self.in_part = part && !complete;
        match (line.is_empty(), part) {
            (true, _) => None,
            (false, true) => Some(Piece::Part(line)),
            (false, false) => Some(Piece::Line(line)),
        }
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    async fn pieces(input: &[u8], longest: usize) -> Vec<Piece> {
        let mut lines = Lines { longest, ..Lines::new(input) };
        let mut all = Vec::new();
        while let Some(piece) = lines.next().await {
            all.push(piece);
        }
        all
    }

    #[tokio::test]
    async fn long_lines_come_in_parts() {
        let part = |text: &str| Piece::Part(text.into());
        let line = |text: &str| Piece::Line(text.into());
        assert_eq!(pieces(b"ab\n\ncd", 8).await, [line("ab\n"), line("\n"), line("cd")]);
        assert_eq!(pieces(b"0123456789\nab\n", 4).await, [line("0123456789\n"), line("ab\n")]);
        let long = "x".repeat(20_000);
        let all = pieces(format!("{long}\nab\n").as_bytes(), 4).await;
        assert_eq!(all.len(), 4);
        assert_eq!(all.last(), Some(&line("ab\n")));
        assert_eq!(all[0], part(&long[..8192]));
    }

    proptest! {
        #[test]
        fn pieces_are_the_input(input in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..400), longest in 1_usize..40) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let all = runtime.block_on(pieces(&input, longest));
            let joined: Vec<u8> =
                all.into_iter().flat_map(|piece| match piece { Piece::Line(bytes) | Piece::Part(bytes) => bytes }).collect();
            prop_assert_eq!(joined, input);
        }
    }
}
