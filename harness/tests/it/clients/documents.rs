//! The project's documents, followed like a reader: blocks that are commands, files, or output of commands.
use std::fmt::Write as _;

/// A fenced block of a document: the words after its fence, and its lines.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) words: Vec<String>,
    pub(crate) text: String,
}

impl Block {
    pub(crate) fn is(&self, language: &str) -> bool {
        self.words.first().is_some_and(|word| word == language)
    }

    /// The name of the file that the reader saves it as, if the whole first line is a comment with that name.
    pub(crate) fn file(&self) -> Option<&str> {
        let first = self.text.lines().next()?;
        let name = first.strip_prefix("# ").or_else(|| first.strip_prefix("// "))?;
        (!self.is("console") && !self.is("text") && name.contains('.') && !name.contains(' ')).then_some(name)
    }
}

pub(crate) fn blocks(document: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for line in document.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(words), None) => {
                let words = words.split_whitespace().map(str::to_owned).collect();
                open = Some(Block { words, text: String::new() });
            }
            (None, Some(block)) => writeln!(block.text, "{line}").unwrap(),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "the last fence is not closed");
    found
}
