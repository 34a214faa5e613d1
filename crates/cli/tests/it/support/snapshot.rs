use insta::Settings;

/// Replaces what differs from run to run.
pub(crate) fn settings() -> Settings {
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (pattern, name) in [
        (r"http://127\.0\.0\.1:\d{5}", "[URL]"),
        (r"/\S*/reflexio-test-\w+", "[DIR]"),
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "[UUID]"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[TIME]"),
        (r"20\d\d-\d\d-\d\d \d\d:\d\d", "YYYY-MM-DD HH:MM"),
        (r" *\d+\.\d ms", " [MS]"),
        (r"\bprocess \d+", "process [PID]"),
        (r"reflexio-doctor-[0-9a-f]{16}", "[USER]"),
        (r"rfx_[0-9a-f]{8}_[A-Za-z0-9_-]+", "[SECRET]"),
        (r"\bkey [0-9a-f]{8}\b", "key [KEY]"),
        (r"\(os error \d+\)", "([OS])"),
        (r"\d+(\.\d+)? (KiB|MiB)", "[SIZE]"),
    ] {
        settings.add_filter(pattern, name);
    }
    settings
}

/// Compares a text with its snapshot of this name.
#[macro_export]
macro_rules! assert_snapshot {
    ($name:expr, $text:expr) => {
        $crate::support::settings().bind(|| insta::assert_snapshot!($name, $text.to_string()))
    };
}
