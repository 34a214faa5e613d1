//! What the system says about a process: processor time and memory.

use std::time::Duration;

use anyhow::Context as _;

/// Processor time of a process and all its threads since it began.
pub(crate) fn cpu_time(process: u32) -> anyhow::Result<Duration> {
    let path = format!("/proc/{process}/stat");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    let ticks = cpu_ticks(&text).with_context(|| format!("{path} looks strange"))?;
    let per_second = rustix::param::clock_ticks_per_second();
    Ok(Duration::from_secs_f64(ticks as f64 / per_second as f64))
}

/// Memory of a process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) resident: u64,
    /// The most that was ever resident.
    pub(crate) peak: u64,
}

impl Memory {
    pub(crate) fn of(process: u32) -> anyhow::Result<Self> {
        let path = format!("/proc/{process}/status");
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        memory(&text).with_context(|| format!("{path} looks strange"))
    }
}

/// User and system time. The program's name may hold anything, so fields count from behind its bracket.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

fn memory(status: &str) -> Option<Memory> {
    Some(Memory { resident: kilobytes(status, "VmRSS:")?, peak: kilobytes(status, "VmHWM:")? })
}

/// The bytes in a line such as `VmRSS:    12345 kB`.
pub(crate) fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let count: u64 = rest.split_ascii_whitespace().next()?.parse().ok()?;
    Some(count * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bracket_in_the_name_does_not_shift_the_fields() {
        let stat = "77 (odd ) name) S 1 77 77 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 9 0 12345 1 2";
        assert_eq!(cpu_ticks(stat), Some(300));
        assert_eq!(cpu_ticks("77 (short) S 1"), None);
    }

    #[test]
    fn memory_is_read_in_bytes() {
        let status = "Name:\treflexio\nVmHWM:\t   2048 kB\nVmRSS:\t   1024 kB\n";
        assert_eq!(memory(status), Some(Memory { resident: 1 << 20, peak: 2 << 20 }));
        assert_eq!(memory("Name:\tgone\n"), None);
    }

    #[test]
    fn this_process_has_used_time_and_memory() {
        let own = std::process::id();
        assert!(cpu_time(own).is_ok());
        assert!(Memory::of(own).unwrap().resident > 0);
    }
}
