use std::fmt::Display;

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Row, TableStyle};

use super::Output;

/// How the values of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
    /// Text of any length: takes the room that is left and is cut with an ellipsis.
    Rest,
}

/// Rows under a header, as wide as the terminal at most.
pub(crate) struct Table {
    table: comfy_table::Table,
}

impl Table {
    pub(crate) fn new(out: &Output, columns: &[(&str, Align)]) -> Self {
        let mut table = comfy_table::Table::new();
        table
            .load_style(TableStyle::new())
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_truncation_indicator("…")
            .set_width(u16::try_from(out.width).unwrap_or(u16::MAX));
        let header = out.style().bold();
        let names = columns.iter().map(|(name, _)| Cell::new(header.apply_to(name.to_uppercase())));
        table.set_header(Row::from(names.collect::<Vec<_>>()));
        for (index, (_, align)) in columns.iter().enumerate() {
            let Some(column) = table.column_mut(index) else { continue };
            column.set_padding((0, 2));
            if *align != Align::Rest {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
            if *align == Align::Right {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        Self { table }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<Cell> = cells.into_iter().map(|cell| Cell::new(one_line(&cell))).collect();
        let mut row = Row::from(cells);
        row.max_height(1);
        self.table.add_row(row);
    }

    pub(crate) fn render(&self) -> String {
        self.table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }
}

/// Names and values below each other, values in full.
pub(crate) struct Panel<'a> {
    out: &'a Output,
    rows: Vec<(String, String)>,
}

impl<'a> Panel<'a> {
    pub(crate) fn new(out: &'a Output) -> Self {
        Self { out, rows: Vec::new() }
    }

    pub(crate) fn row(mut self, name: &str, value: impl Display) -> Self {
        self.rows.push((name.to_owned(), value.to_string()));
        self
    }

    /// Leaves out what is not there.
    pub(crate) fn maybe(self, name: &str, value: Option<impl Display>) -> Self {
        match value.map(|value| value.to_string()).filter(|value| !value.is_empty()) {
            Some(value) => self.row(name, value),
            None => self,
        }
    }

    pub(crate) fn render(&self) -> String {
        let widest = self.rows.iter().map(|(name, _)| console::measure_text_width(name)).max().unwrap_or(0);
        let style = self.out.style().bold();
        let lines = self.rows.iter().map(|(name, value)| {
            let gap = " ".repeat(widest - console::measure_text_width(name) + 2);
            let below = format!("\n{}", " ".repeat(widest + 2));
            format!("{}{gap}{}", style.apply_to(name), value.trim_end().replace('\n', &below))
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Text for one cell: line breaks and control characters become spaces.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || (c.is_control() && c != '\u{1b}')) {
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    line
}
