use reflexio_store::{IntegrityReport, Maintenance};

use super::steps::Steps;
use crate::data_dir::DataDirArg;
use crate::failure::Failure;
use crate::output::{Align, Output, Table};

/// Reads the whole database; it may be in use.
pub(super) async fn look(
    data: &DataDirArg,
    steps: &mut Steps<'_>,
) -> anyhow::Result<Option<IntegrityReport>> {
    let mut found = None;
    let check = async {
        let store = data.folder()?.open()?;
        let report = store.check_integrity().await?;
        let rows: u64 = report.checked.iter().map(|(_, count)| count).sum();
        let problems = report.problems.clone();
        found = Some(report);
        if problems.is_empty() {
            return Ok(((), format!("{} is sound, {rows} rows", store.label())));
        }
        let message = match problems.len() {
            1 => "the database has 1 fault".to_owned(),
            count => format!("the database has {count} faults"),
        };
        let hint = "`reflexio export` saves what can be read; `reflexio restore FILE --force` puts a backup in place";
        Err(Failure::failed(message).details(problems).hint(hint).into())
    };
    steps.run("integrity", check).await?;
    Ok(found)
}

pub(super) fn table(out: &Output, report: &IntegrityReport) -> String {
    let mut table = Table::new(out, &[("table", Align::Left), ("rows", Align::Right)]);
    for (name, count) in &report.checked {
        table.row([name.clone(), count.to_string()]);
    }
    format!("\n{}", table.render())
}
