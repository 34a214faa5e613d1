use std::path::Path;

const TITLE: &str = "# Results\n\nWritten by `bench/run.sh`; `README.md` tells how to read them.\n";

/// Puts a section into a file: in the place of the one with the same name, or at the end.
pub(crate) fn put_section(file: &Path, name: &str, section: &str) -> std::io::Result<()> {
    let old = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => TITLE.to_owned(),
        Err(error) => return Err(error),
    };
    std::fs::write(file, replaced(&old, name, section))
}

fn replaced(text: &str, name: &str, section: &str) -> String {
    let heading = format!("## {name}");
    let mut before: Vec<&str> = Vec::new();
    let mut after: Vec<&str> = Vec::new();
    let mut lines = text.lines();
    before.extend(lines.by_ref().take_while(|line| *line != heading));
    after.extend(lines.skip_while(|line| !line.starts_with("## ")));
    let parts = [before.join("\n"), section.to_owned(), after.join("\n")];
    let parts: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
    parts.join("\n\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# Results\n\n## one\n\nold\n\n### part\n\nmore\n\n## two\n\nkept\n";

    #[test]
    fn a_section_of_the_same_name_is_replaced_where_it_stands() {
        let new = replaced(FILE, "one", "## one\n\nnew\n");
        assert_eq!(new, "# Results\n\n## one\n\nnew\n\n## two\n\nkept\n");
        assert_eq!(replaced(&new, "one", "## one\n\nnew\n"), new);
    }

    #[test]
    fn a_section_of_another_name_is_added_behind() {
        let new = replaced(FILE, "three", "## three\n\nnew\n");
        assert_eq!(new, format!("{FILE}\n## three\n\nnew\n"));
    }
}
