use std::path::Path;
use std::process::Command;

use crate::process::kilobytes;

/// What a reader has to know to compare numbers.
pub(crate) struct Machine {
    pub(crate) cores: usize,
    pub(crate) memory: u64,
    pub(crate) processor: String,
    pub(crate) kernel: String,
    pub(crate) disk: String,
    /// How busy the machine was with other things.
    pub(crate) load: String,
    pub(crate) commit: String,
    pub(crate) date: String,
}

impl Machine {
    /// What cannot be seen is said to be unknown.
    pub(crate) fn look(work_dir: &Path) -> Self {
        Self {
            cores: std::thread::available_parallelism().map_or(1, Into::into),
            memory: kilobytes(&read("/proc/meminfo"), "MemTotal:").unwrap_or_default(),
            processor: processor(&read("/proc/cpuinfo")).unwrap_or_else(unknown),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            disk: disk(work_dir, &read("/proc/self/mounts")).unwrap_or_else(unknown),
            load: read("/proc/loadavg").split(' ').take(3).collect::<Vec<_>>().join(" "),
            commit: commit().unwrap_or_else(unknown),
            date: jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string(),
        }
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn processor(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The file system that holds the folder, and what is known about the device below it.
fn disk(folder: &Path, mounts: &str) -> Option<String> {
    let (device, kind) = mount_of(folder, mounts)?;
    let name = device.strip_prefix("/dev/").unwrap_or(&device);
    // A partition has no queue of its own, its device has.
    let class = Path::new("/sys/class/block").join(name);
    let queues = [class.join("queue"), class.join("../queue")];
    let flag = |file: &str| queues.iter().map(|queue| read(queue.join(file))).find(|text| !text.is_empty());
    let rotates = match flag("rotational").as_deref().map(str::trim) {
        Some("0") => "not rotating",
        Some("1") => "rotating, or a virtual disk that says so",
        _ => "kind not visible",
    };
    let cache = flag("write_cache").map_or_else(String::new, |cache| format!(", {} cache", cache.trim()));
    Some(format!("{device} ({kind}), {rotates}{cache}"))
}

/// Device and file system of the innermost mount around a folder.
fn mount_of(folder: &Path, mounts: &str) -> Option<(String, String)> {
    let around = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ');
        let (device, place, kind) = (fields.next()?, fields.next()?, fields.next()?);
        folder.starts_with(place).then_some((place, device, kind))
    });
    // Of two mounts on the same place, the later one is seen.
    let (_, device, kind) = around.max_by_key(|(place, ..)| place.len())?;
    Some((device.to_owned(), kind.to_owned()))
}

/// The commit that is checked out, and whether files differ from it. Only reads.
fn commit() -> Option<String> {
    let arguments = ["--no-optional-locks", "describe", "--always", "--dirty", "--abbrev=12"];
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_counts() {
        let mounts = "/dev/vda / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n/dev/vdb /tmp/disk xfs rw 0 0\n";
        let mount = |folder: &str| mount_of(Path::new(folder), mounts).map(|(device, _)| device);
        assert_eq!(mount("/data/target").as_deref(), Some("/dev/vda"));
        assert_eq!(mount("/tmp/other").as_deref(), Some("tmpfs"));
        assert_eq!(mount("/tmp/disk/bench").as_deref(), Some("/dev/vdb"));
        assert_eq!(mount("/tmp/disks").as_deref(), Some("tmpfs"));
    }

    #[test]
    fn the_processor_is_named_once() {
        let text = "processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\nmodel name\t: Fast CPU @ 3 GHz\n";
        assert_eq!(processor(text).as_deref(), Some("Fast CPU @ 3 GHz"));
        assert_eq!(processor(""), None);
    }
}
