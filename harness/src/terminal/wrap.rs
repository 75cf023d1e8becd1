//! Long lines of a report on a terminal.

/// In narrower terminals the lines stay as they are.
const NARROWEST: usize = 40;
/// What begins a line with a command, which is pasted and so stays whole.
const COMMANDS: [&str; 4] = ["replay:", "reproduce:", "run:", "RUN()"];

/// The text with every line within the width: continued below the value of a `name: value` row, else two columns further in. Without a
/// width the text stays as it is.
pub(crate) fn wrapped(text: &str, width: Option<u16>) -> String {
    let Some(width) = width.map(usize::from).filter(|width| *width >= NARROWEST) else {
        return text.to_owned();
    };
    text.lines().map(|line| line_within(line, width) + "\n").collect()
}

fn line_within(line: &str, width: usize) -> String {
    let inner = line.trim_start();
    if shown(line) <= width || COMMANDS.iter().any(|command| inner.starts_with(command)) {
        return line.to_owned();
    }
    // The lines of an exchange are data, and break anywhere.
    if inner.starts_with("> ") || inner.starts_with("< ") {
        return broken(line, width, line.len() - inner.len() + 2);
    }
    let indent = " ".repeat(hanging(line));
    let (mut text, mut used) = (String::new(), 0);
    for (place, word) in line.split(' ').enumerate() {
        let length = shown(word);
        let is_first = place == 0 || text.ends_with(&format!("\n{indent}"));
        if !is_first && used + 1 + length > width && used > indent.len() {
            text += &format!("\n{indent}{word}");
            used = indent.len() + length;
        } else {
            text += if place == 0 { "" } else { " " };
            text += word;
            used += length + usize::from(place != 0);
        }
    }
    text
}

/// Where a line goes on: below the value of a row, else two columns further in than it begins.
fn hanging(line: &str) -> usize {
    let inner = line.trim_start_matches(' ');
    let before = line.len() - inner.len();
    // A call, `name(argument: value)`, is no row.
    let is_row = |(name, _): &(&str, &str)| before > 0 && !name.contains([' ', '(']);
    let Some((name, value)) = inner.split_once(": ").filter(is_row) else {
        return before + 2;
    };
    before + name.len() + 2 + value.len() - value.trim_start_matches(' ').len()
}

/// The line with a break after every `width` columns.
fn broken(line: &str, width: usize, indent: usize) -> String {
    let (mut text, mut used, mut is_style) = (String::new(), 0, false);
    for letter in line.chars() {
        is_style |= letter == '\u{1b}';
        if !is_style && used == width {
            text += &format!("\n{}", " ".repeat(indent));
            used = indent;
        }
        used += usize::from(!is_style);
        is_style &= letter != 'm';
        text.push(letter);
    }
    text
}

/// The columns that a text takes, without its styles.
fn shown(text: &str) -> usize {
    let (mut count, mut is_style) = (0, false);
    for letter in text.chars() {
        is_style |= letter == '\u{1b}';
        count += usize::from(!is_style);
        is_style &= letter != 'm';
    }
    count
}

#[cfg(test)]
mod tests {
    use super::{shown, wrapped};

    #[test]
    fn lines_are_continued_where_they_belong_and_commands_stay_whole() {
        let words = "word ".repeat(20).trim_end().to_owned();
        let ids = format!("  {words}\n");
        let row = format!("  \u{1b}[31mactual\u{1b}[0m\n  rule:      {words}\n");
        let call = format!("    LaunchHook.\u{1b}[1mbuy\u{1b}[0m(data: {words})\n");
        let data = format!("    < {}\u{1b}[1m{}\u{1b}[0m\n", "x".repeat(60), "y".repeat(60));
        for (text, indent) in [(ids, 4), (row, 13), (call, 6), (data, 6), (format!("{words}\n"), 2)] {
            let whole = wrapped(&text, None);
            assert_eq!(whole, text, "a pipe gets each line whole");
            let wrapped = wrapped(&text, Some(80));
            assert!(wrapped.lines().all(|line| shown(line) <= 80), "{wrapped}");
            let last = wrapped.lines().last().unwrap();
            assert_eq!(last.len() - last.trim_start().len(), indent, "{wrapped}");
            let kept = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(kept(&wrapped), kept(&text));
        }
        let command = format!("  replay:    {words}\n  run: {words}\nRUN() {{ {words} }}\n");
        assert_eq!(wrapped(&command, Some(80)), command);
    }
}
