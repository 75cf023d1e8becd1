//! A third-party platform for the tests of `check --image`: two tokens over plain HTTP, and one planted fault: it counts three. It knows
//! nothing of slipway. With `FAIL` in its environment it ends at once, like a platform that cannot start.
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

const TOKENS: &str = r#"{"tokens":[],"totalCount":3,"totalPages":1,"currentPage":1}"#;

fn main() -> io::Result<()> {
    let mut log = io::stderr();
    if std::env::var_os("FAIL").is_some() {
        writeln!(log, "toy: there is no disk in this toy")?;
        std::process::exit(9);
    }
    let listener = TcpListener::bind("0.0.0.0:8080")?;
    writeln!(log, "toy: listening")?;
    for connection in listener.incoming() {
        let connection = connection?;
        std::thread::spawn(move || answer(connection));
    }
    Ok(())
}

fn answer(mut connection: TcpStream) -> io::Result<()> {
    let mut reader = BufReader::new(connection.try_clone()?);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some(target) = line.split(' ').nth(1).map(str::to_owned) else { return Ok(()) };
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 || line == "\r\n" {
                break;
            }
        }
        let (status, body) = match target.split('?').next() {
            Some("/api/tokens") => ("200 OK", TOKENS),
            _ => ("404 Not Found", r#"{"error":"no such path","status":404}"#),
        };
        write!(
            connection,
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )?;
    }
}
