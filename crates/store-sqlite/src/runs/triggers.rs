//! What notes the changes of a table while a run goes on.

use crate::learned::Kind;

/// A table with the columns it has.
pub(super) struct Table {
    pub(super) kind: Kind,
    pub(super) columns: Vec<String>,
}

/// What is kept of a row on both sides of a change, in the words of SQL.
struct Note<'a> {
    /// The row that is there: `NEW` or `OLD`.
    row: &'a str,
    before: String,
    after: String,
    digest_before: String,
    digest_after: String,
}

const NOTHING: &str = "NULL";

impl Table {
    pub(super) fn triggers(&self) -> String {
        [self.added(), self.changed(), self.deleted(), self.forgotten()].join("\n")
    }

    fn added(&self) -> String {
        let note = Note { digest_after: self.digest("NEW"), ..Note::of("NEW") };
        self.trigger("added", "INSERT", "EXISTS (SELECT 1 FROM recording)", &self.keep(&note))
    }

    fn changed(&self) -> String {
        let note = Note {
            before: format!("row_difference({})", self.pairs("OLD", "NEW")),
            after: format!("row_difference({})", self.pairs("NEW", "OLD")),
            digest_before: self.digest("OLD"),
            digest_after: self.digest("NEW"),
            ..Note::of("NEW")
        };
        let differ = self.each(" OR ", |name| format!("OLD.{name} IS NOT NEW.{name}"));
        let when = format!("EXISTS (SELECT 1 FROM recording) AND ({differ})");
        self.trigger("changed", "UPDATE", &when, &self.keep(&note))
    }

    fn deleted(&self) -> String {
        let note = Note {
            before: format!("json_object({})", self.fields("OLD")),
            digest_before: self.digest("OLD"),
            ..Note::of("OLD")
        };
        self.trigger("deleted", "DELETE", "EXISTS (SELECT 1 FROM recording)", &self.keep(&note))
    }

    /// A row that is deleted outside of a run is gone for good, so its text goes from the records of runs, too.
    fn forgotten(&self) -> String {
        let forget = format!(
            "UPDATE run_changes SET before = NULL, after = NULL
             WHERE org_id = OLD.org_id AND row_kind = '{}' AND row_id = CAST(OLD.id AS TEXT);",
            self.kind.subject
        );
        self.trigger("forgotten", "DELETE", "NOT EXISTS (SELECT 1 FROM recording)", &forget)
    }

    fn trigger(&self, name: &str, after: &str, when: &str, work: &str) -> String {
        let table = self.kind.table;
        format!(
            "CREATE TEMP TRIGGER {table}_{name} AFTER {after} ON main.{table} WHEN {when} BEGIN {work} END;"
        )
    }

    fn keep(&self, note: &Note<'_>) -> String {
        let Note { row, before, after, digest_before, digest_after } = note;
        let user = match self.kind.user {
            NOTHING => NOTHING.to_owned(),
            column => format!("{row}.{column}"),
        };
        format!(
            "INSERT INTO run_changes
             (org_id, run, row_kind, row_id, user_id, before, after, digest_before, digest_after)
             SELECT {row}.org_id, run, '{}', CAST({row}.id AS TEXT), {user}, {before}, {after}, {digest_before},
                 {digest_after} FROM recording;",
            self.kind.subject
        )
    }

    fn digest(&self, row: &str) -> String {
        format!("row_digest({})", self.fields(row))
    }

    fn fields(&self, row: &str) -> String {
        self.each(", ", |name| format!("'{name}', {row}.{name}"))
    }

    fn pairs(&self, one: &str, other: &str) -> String {
        self.each(", ", |name| format!("'{name}', {one}.{name}, {other}.{name}"))
    }

    fn each(&self, between: &str, words: impl Fn(&String) -> String) -> String {
        self.columns.iter().map(words).collect::<Vec<_>>().join(between)
    }
}

impl<'a> Note<'a> {
    fn of(row: &'a str) -> Self {
        let nothing = || NOTHING.to_owned();
        Self { row, before: nothing(), after: nothing(), digest_before: nothing(), digest_after: nothing() }
    }
}
