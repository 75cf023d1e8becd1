//! The parts of a form that has arrived whole, by the grammar of RFC 2046, section 5.1.1, and by RFC 7578.
use axum::body::Bytes;
use memchr::memmem;

const END_OF_LINE: &[u8] = b"\r\n";
const BLANK_LINE: &[u8] = b"\r\n\r\n";
const DISPOSITION: &str = "content-disposition";

/// A form whose parts are read one after another.
#[derive(Debug)]
pub(super) struct Form {
    bytes: Bytes,
    /// What stands between two parts: an end of line and the boundary.
    delimiter: Vec<u8>,
    /// After the latest boundary that was read.
    at: usize,
}

/// A part of a form; without a name if its header gives none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) value: Bytes,
}

/// Why bytes are no form.
type Malformed = &'static str;

/// The boundary of the forms of a media type, if it is one of forms.
pub(super) fn boundary(content_type: &str) -> Option<String> {
    let (kind, _) = content_type.split_once(';')?;
    let is_form = kind.trim().eq_ignore_ascii_case("multipart/form-data");
    parameter(content_type, "boundary").filter(|boundary| is_form && !boundary.is_empty())
}

impl Form {
    /// Finds the first boundary. What precedes it is no part of the form.
    pub(super) fn new(bytes: Bytes, boundary: &str) -> Result<Self, Malformed> {
        let delimiter = format!("\r\n--{boundary}").into_bytes();
        let first = &delimiter[END_OF_LINE.len()..];
        let at = match memmem::find(&bytes, &delimiter).map(|at| at + delimiter.len()) {
            _ if bytes.starts_with(first) => first.len(),
            found => found.ok_or("its boundary is not there")?,
        };
        Ok(Self { bytes, delimiter, at })
    }

    /// The next part; `None` after the last one. What follows the last boundary is no part of the form.
    pub(super) fn next(&mut self) -> Result<Option<Part>, Malformed> {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(b"--") {
            return Ok(None);
        }
        let padding = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let line_end = self.at + padding;
        if !self.bytes[line_end..].starts_with(END_OF_LINE) {
            return Err("a boundary does not end its line");
        }
        // The end of the boundary's line may already begin the next delimiter: some clients send an empty part so.
        let next =
            memmem::find(&self.bytes[line_end..], &self.delimiter).ok_or("its last boundary is missing")?;
        let end = line_end + next;
        let part = self.bytes.slice((line_end + END_OF_LINE.len()).min(end)..end);
        self.at = end + self.delimiter.len();
        Part::read(&part).map(Some)
    }
}

impl Part {
    /// `body-part := MIME-part-headers [CRLF *OCTET]`: a part may end with its header, or have none.
    fn read(part: &Bytes) -> Result<Self, Malformed> {
        let (header, value) = match memmem::find(part, BLANK_LINE) {
            _ if part.starts_with(END_OF_LINE) => (0, END_OF_LINE.len()),
            Some(at) => (at, at + BLANK_LINE.len()),
            None => (part.len(), part.len()),
        };
        let header = String::from_utf8_lossy(&part[..header]);
        // RFC 5322, section 2.2.3: "Unfolding is accomplished by simply removing any CRLF that is immediately followed by WSP."
        let header = header.replace("\r\n ", " ").replace("\r\n\t", "\t");
        let mut name = None;
        for line in header.split("\r\n").filter(|line| !line.is_empty()) {
            let (field, text) = line.split_once(':').ok_or("a line of a part's header has no colon")?;
            if field.trim().eq_ignore_ascii_case(DISPOSITION)
                && name.replace(parameter(text, "name").unwrap_or_default()).is_some()
            {
                return Err("a part has two names");
            }
        }
        Ok(Self { name: name.unwrap_or_default(), value: part.slice(value..) })
    }
}

/// A parameter of a header. RFC 2045, section 5.1: "the names of parameters" "are not case-sensitive".
fn parameter(header: &str, wanted: &str) -> Option<String> {
    let mut rest = header.split_once(';')?.1;
    loop {
        let (name, value) = rest.split_once('=')?;
        let (value, after) = match value.trim_start().strip_prefix('"') {
            Some(quoted) => unquoted(quoted)?,
            None => {
                let (value, after) = value.split_once(';').unwrap_or((value, ""));
                (value.trim().to_owned(), after)
            }
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = after.trim_start().trim_start_matches(';');
    }
}

/// Unescapes a quoted value after its opening quote; returns it with the text after the closing quote.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let (mut value, mut letters) = (String::new(), text.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, &text[at + 1..])),
            // Browsers do not escape backslashes in file names.
            '\\' => match letters.next()? {
                (_, escaped @ ('"' | '\\')) => value.push(escaped),
                (_, other) => value.extend(['\\', other]),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Form, Malformed, boundary, parameter};

    fn parts(text: &str) -> Result<Vec<(String, String)>, Malformed> {
        let mut form = Form::new(text.replace('\n', "\r\n").into(), "b")?;
        let mut parts = Vec::new();
        while let Some(part) = form.next()? {
            parts.push((part.name, String::from_utf8(part.value.into()).unwrap()));
        }
        Ok(parts)
    }

    /// RFC 2046, section 5.1.1: the grammar of `multipart-body`, and "NO header fields are actually required in body parts".
    #[test]
    fn every_form_of_the_grammar_is_read() {
        const HEAD: &str = "Content-Disposition: form-data; name=";
        for (form, expected) in [
            (format!("--b\n{HEAD}a\n\n1\n--b--"), vec![("a", "1")]),
            (format!("--b\n{HEAD}a\n\n1\n--b--\n"), vec![("a", "1")]),
            // "preamble" and "epilogue", and a boundary within a line of them.
            (format!("\n--b\n{HEAD}a\n\n1\n--b--"), vec![("a", "1")]),
            (format!("x --b\n\nx\n--b\n{HEAD}a\n\n1\n--b--\n--b\nx"), vec![("a", "1")]),
            // "receivers MUST be able to handle padding added by message transports."
            (format!("--b \t\n{HEAD}a\n\n1\n--b  \n{HEAD}c\n\n\n2\n\n--b-- \n"), vec![("a", "1"), ("c", "\n2\n")]),
            // `body-part := MIME-part-headers [CRLF *OCTET]`, `delimiter := CRLF dash-boundary`.
            (format!("--b\n{HEAD}a\n\n--b\n{HEAD}c\n\n2\n--b--"), vec![("a", ""), ("c", "2")]),
            (format!("--b\n{HEAD}a\n\n\n--b\n{HEAD}c\n\n2\n--b--"), vec![("a", ""), ("c", "2")]),
            (format!("--b\n\nx\n--b\n{HEAD}c\n\n2\n--b--"), vec![("", "x"), ("c", "2")]),
            // Not of the grammar, but of clients.
            (format!("--b\n--b\n{HEAD}c\n\n2\n--b--"), vec![("", ""), ("c", "2")]),
            // RFC 5322, section 2.2.3: folded lines; RFC 2045, section 2.1: any letter case of a field's name.
            ("--b\ncontent-type: text/plain;\n charset=utf-8\ncONTENT-disposition: form-data;\n\tname=a\n\n1\n--b--".to_owned(), vec![("a", "1")]),
            ("--b--".to_owned(), vec![]),
        ] {
            let read = parts(&form).unwrap();
            let read: Vec<_> = read.iter().map(|(name, value)| (name.as_str(), value.replace("\r\n", "\n"))).collect();
            let expected: Vec<_> = expected.into_iter().map(|(name, value)| (name, value.to_owned())).collect();
            assert_eq!(read, expected, "{form}");
        }
        let mut bare =
            Form::new("--b\nContent-Disposition: form-data; name=a\n\n1\n--b--".into(), "b").unwrap();
        assert!(bare.next().is_err(), "lines end with CRLF");
    }

    #[test]
    fn cut_and_ambiguous_forms_are_refused() {
        const HEAD: &str = "Content-Disposition: form-data; name=a";
        let whole = format!("--b\n{HEAD}\n\n1\n--b--");
        for length in 0..whole.len() {
            assert!(parts(&whole[..length]).is_err(), "{length}");
        }
        for form in [
            format!("--bc\n{HEAD}\n\n1\n--b--"),
            format!("--b\n{HEAD}\n\n1\n--bc\n--b--"),
            format!("--b\n{HEAD}\n{HEAD}\n\n1\n--b--"),
            format!("--b\nx\n{HEAD}\n\n1\n--b--"),
            format!("--c\n{HEAD}\n\n1\n--c--"),
        ] {
            assert!(parts(&form).is_err(), "{form}");
        }
    }

    /// RFC 2045, section 5.1: values with `tspecials` are quoted; RFC 2046, section 5.1.1: a boundary may have them.
    #[test]
    fn boundaries_of_media_types() {
        for (content_type, expected) in [
            ("multipart/form-data; boundary=b", Some("b")),
            ("Multipart/Form-Data;Boundary=b;", Some("b")),
            ("multipart/form-data; charset=utf-8; boundary=\"a b:c\"", Some("a b:c")),
            ("multipart/form-data; boundary=a/b:=c?; charset=utf-8", Some("a/b:=c?")),
            ("multipart/form-data; boundary=b--", Some("b--")),
            ("multipart/form-data; boundary=", None),
            ("multipart/form-data", None),
            ("multipart/mixed; boundary=b", None),
            ("text/plain; boundary=b", None),
            ("boundary=b", None),
            ("", None),
        ] {
            assert_eq!(boundary(content_type).as_deref(), expected, "{content_type}");
        }
        let mut form = Form::new("--b--\r\n\r\n1\r\n--b----".into(), "b--").unwrap();
        assert_eq!(form.next().unwrap().unwrap().value, "1");
        assert_eq!(form.next(), Ok(None));
    }

    /// RFC 2045, section 5.1, and RFC 7578, section 4.2.
    #[test]
    fn names_of_parameters_have_no_letter_case() {
        for (header, expected) in [
            (r#"form-data; name="file"; filename="a.png""#, Some("file")),
            (r#"form-data; NAME="file"; FILENAME="a.png""#, Some("file")),
            ("FORM-DATA;Name=file", Some("file")),
            (r#"form-data; filename="a; name=\"x\".png"; nAmE = "file""#, Some("file")),
            (r#"form-data; filename="C:\a\b.png"; name="file""#, Some("file")),
            (r#"form-data; filename*=UTF-8''a%20b; name="File""#, Some("File")),
            (r#"form-data; filename="a.png""#, None),
            (r#"form-data; name="file"#, None),
            ("form-data", None),
        ] {
            assert_eq!(parameter(header, "name").as_deref(), expected, "{header}");
        }
    }
}
