use reflexio_store::Result;

/// Rows are forgotten so many at a time, so that others can write in between.
const AT_ONCE: usize = 1_000;

/// Forgets what is old, a portion after the other, until a portion is not full. `what` is for the log.
pub(crate) async fn forget<F>(what: &str, forget: impl Fn(usize) -> F)
where
    F: Future<Output = Result<u64>> + Send,
{
    loop {
        match forget(AT_ONCE).await {
            Ok(forgotten) if forgotten == AT_ONCE as u64 => {}
            Ok(_) => break,
            Err(error) => {
                tracing::warn!(%error, "old {what} could not be forgotten");
                break;
            }
        }
    }
}
