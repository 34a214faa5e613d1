use crate::data_dir::DataDir;
use crate::output::Output;

/// What a person wants to know after starting a server. It is not part of the log.
pub(super) fn print(
    out: &Output,
    url: &str,
    folder: &DataDir,
    keys_required: bool,
    learning: &str,
    first_run: bool,
) {
    let (bold, dim) = (out.style_errors().bold(), out.style_errors().dim());
    let row =
        |name: &str, value: &str| out.note(format_args!("  {} {value}", dim.apply_to(format!("{name:<10}"))));
    out.note(format_args!("\n  {} {}\n", bold.apply_to("Reflexio"), env!("CARGO_PKG_VERSION")));
    row("address", url);
    row("docs", &format!("{url}/docs"));
    row("data", &folder.path().display().to_string());
    row("access", if keys_required { "with a key only" } else { "from this machine, without a key" });
    row("learning", learning);
    if first_run {
        row("try", "reflexio publish --user-id ann --user-message \"Hi\" --agent-response \"Hello!\"");
    }
    out.note("");
}
