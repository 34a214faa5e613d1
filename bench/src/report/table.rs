/// A Markdown table whose columns are also straight in plain text.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new<const N: usize>(headings: [&str; N]) -> Self {
        Self { rows: vec![headings.map(str::to_owned).to_vec()] }
    }

    pub(super) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(Vec::from(cells));
    }

    pub(super) fn markdown(&self) -> String {
        let widths = self.widths();
        let mut lines: Vec<String> = self.rows.iter().map(|row| line(row, &widths)).collect();
        // The first column names things; the others are numbers.
        let rule = widths.iter().enumerate().map(|(at, width)| match at {
            0 => "-".repeat(width + 2),
            _ => "-".repeat(width + 1) + ":",
        });
        lines.insert(1, format!("|{}|", rule.collect::<Vec<_>>().join("|")));
        lines.join("\n")
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| chars(cell)).max();
        (0..columns).map(|column| width(column).unwrap_or(0)).collect()
    }
}

fn line(row: &[String], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).enumerate().map(|(at, (cell, &width))| match at {
        0 => format!(" {cell:<width$} "),
        _ => format!(" {cell:>width$} "),
    });
    format!("|{}|", cells.collect::<Vec<_>>().join("|"))
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["what", "ms"]);
        table.row(["search".to_owned(), "1.25".to_owned()]);
        let expected = "\
| what   |   ms |
|--------|-----:|
| search | 1.25 |";
        assert_eq!(table.markdown(), expected);
    }
}
