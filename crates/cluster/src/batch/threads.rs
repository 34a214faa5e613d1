use std::thread;

/// Results in the order of the inputs.
pub(super) fn on_all_cores<T: Sync, R: Send>(inputs: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let chunk = inputs.len().div_ceil(cores).max(1);
    let work = &work;
    thread::scope(|scope| {
        let run = |part: &[T]| part.iter().map(work).collect::<Vec<R>>();
        let threads: Vec<_> =
            inputs.chunks(chunk).map(|part| (part, scope.spawn(move || run(part)))).collect();
        // A thread that could not finish is done over here.
        threads.into_iter().flat_map(|(part, thread)| thread.join().unwrap_or_else(|_| run(part))).collect()
    })
}
