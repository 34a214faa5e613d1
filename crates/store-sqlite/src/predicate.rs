use reflexio_types::{OrgId, TimeRange};
use rusqlite::types::Value;

/// A condition on the table that a statement calls `t`. It always begins with the org, so that no
/// statement built with it can touch a row of another one.
#[derive(Debug, Clone)]
pub(crate) struct Predicate {
    sql: String,
    values: Vec<Value>,
}

impl Predicate {
    pub(crate) fn of_org(org: &OrgId) -> Self {
        Self { sql: "t.org_id = ?".to_owned(), values: vec![Value::Text(org.as_str().to_owned())] }
    }

    /// The same, for rows that are reached by something narrower than the org: the plus sign keeps SQLite
    /// from walking through the whole org instead.
    pub(crate) fn checking_org(org: &OrgId) -> Self {
        Self { sql: "+t.org_id = ?".to_owned(), values: vec![Value::Text(org.as_str().to_owned())] }
    }

    pub(crate) fn sql(&self) -> &str {
        &self.sql
    }

    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }

    pub(crate) fn into_values(self) -> Vec<Value> {
        self.values
    }

    pub(crate) fn and(mut self, condition: &str, values: impl IntoIterator<Item = Value>) -> Self {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
        self.values.extend(values);
        self
    }

    pub(crate) fn text(self, column: &str, wanted: Option<&str>) -> Self {
        match wanted {
            Some(text) => self.and(&format!("{column} = ?"), [Value::Text(text.to_owned())]),
            None => self,
        }
    }

    pub(crate) fn number(self, column: &str, wanted: Option<i64>) -> Self {
        match wanted {
            Some(number) => self.and(&format!("{column} = ?"), [Value::Integer(number)]),
            None => self,
        }
    }

    pub(crate) fn time(self, column: &str, range: TimeRange) -> Self {
        let mut with_start = self;
        if let Some(start) = range.start {
            with_start = with_start.and(&format!("{column} >= ?"), [Value::Integer(start.0)]);
        }
        match range.end {
            Some(end) => with_start.and(&format!("{column} <= ?"), [Value::Integer(end.0)]),
            None => with_start,
        }
    }

    /// Any of a few words; none means any.
    pub(crate) fn one_of(self, column: &str, words: impl IntoIterator<Item = &'static str>) -> Self {
        let values: Vec<Value> = words.into_iter().map(|word| Value::Text(word.to_owned())).collect();
        if values.is_empty() {
            return self;
        }
        let marks = vec!["?"; values.len()].join(", ");
        self.and(&format!("{column} IN ({marks})"), values)
    }

    /// Any of a list that may be long; here an empty list matches nothing.
    pub(crate) fn within(self, column: &str, list: Vec<serde_json::Value>) -> Self {
        let list = serde_json::Value::Array(list).to_string();
        self.and(&format!("{column} IN (SELECT value FROM json_each(?))"), [Value::Text(list)])
    }

    /// Any of these in a JSON array inside `t.body`; none means any.
    pub(crate) fn any_in_body(self, path: &str, words: &[String]) -> Self {
        if words.is_empty() {
            return self;
        }
        let marks = vec!["?"; words.len()].join(", ");
        let condition =
            format!("EXISTS (SELECT 1 FROM json_each(t.body, '{path}') WHERE value IN ({marks}))");
        self.and(&condition, words.iter().map(|word| Value::Text(word.clone())))
    }
}
