//! Several processes over one PostgreSQL and one set of chains: `replicas target/release/slipway 5` measures reads and writes at
//! one, two and four processes, how soon a write is shown by the others, and what a replica that is killed amid writes takes with
//! it, in as many rounds as it is told. Prints tables; ends with 1 when an answer differs from that of the first process, a
//! stored write is not shown at once, or anything acknowledged is lost.
mod client;
mod convergence;
mod fleet;
mod kill;
mod reads;
mod stored;
mod table;
mod writes;

use std::path::Path;
use std::process::ExitCode;

use fleet::Fleet;
use slipway_benches::process::Failure;
use table::print_line;

const USAGE: &str = "usage: replicas SLIPWAY [ROUNDS]";
const ROUNDS: usize = 5;
/// How many processes share the load.
const PROCESSES: [usize; 3] = [1, 2, 4];

/// One thread makes all requests, so that they take one core at most.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (program, rounds) = match arguments.as_slice() {
        [program] => (program, ROUNDS),
        [program, rounds] => (program, rounds.parse()?),
        _ => return Err(USAGE.into()),
    };
    let most = PROCESSES.into_iter().max().unwrap_or_default();
    let mut fleet = Fleet::start(Path::new(program), most).await?;
    let mut sound = reads::measure(&fleet, Path::new(program), rounds).await?;
    sound &= writes::measure(&fleet, rounds).await?;
    sound &= convergence::measure(&fleet, rounds).await?;
    sound &= kill::measure(&mut fleet, rounds).await?;
    if !sound {
        print_line("NOT SOUND: see above")?;
    }
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
