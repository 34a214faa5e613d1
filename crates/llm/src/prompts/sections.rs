use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use crate::message::Speaker;

/// The messages of a template. What stands before the first mark belongs to nobody and is a note to the reader.
pub(super) fn split(source: &str) -> Vec<(Speaker, &str)> {
    let mut sections: Vec<(Speaker, usize, usize)> = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        if let Some(speaker) = mark(line.trim()) {
            if let Some(last) = sections.last_mut() {
                last.2 = at;
            }
            sections.push((speaker, at + line.len(), source.len()));
        }
        at += line.len();
    }
    if sections.is_empty() {
        return vec![(Speaker::User, source)];
    }
    sections.into_iter().map(|(speaker, start, end)| (speaker, &source[start..end])).collect()
}

fn mark(line: &str) -> Option<Speaker> {
    let name = line.strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    [Speaker::System, Speaker::User, Speaker::Assistant].into_iter().find(|speaker| speaker.as_str() == name)
}

/// `name@version` of every file in a folder of prompts.
pub(super) fn ids_in(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut ids = BTreeSet::new();
    for name in std::fs::read_dir(folder)? {
        let name = name?;
        if !name.file_type()?.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(name.path())? {
            let file = file?.file_name();
            let version = file.to_string_lossy().trim_end_matches(".md").to_owned();
            ids.insert(format!("{}@{version}", name.file_name().to_string_lossy()));
        }
    }
    Ok(ids)
}
