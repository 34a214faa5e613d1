use futures::StreamExt;
use futures::future::BoxFuture;
use reflexio_assistant::{Payload, Playbook};
use reflexio_types::RolloutMessage;

use crate::{Fault, Task, World};

/// Replays what the user said, turn by turn, with the playbook in this wording. Nothing else differs between two wordings.
pub(crate) async fn roll_out(
    world: &dyn World,
    task: &Task,
    wording: Option<&str>,
    window: usize,
    most_turns: usize,
) -> Result<Vec<RolloutMessage>, Fault> {
    let window = task.windows.get(window);
    let turns = window.map(|window| window.user_turns.as_slice()).unwrap_or_default();
    let playbooks = wording.map(|content| Playbook {
        id: task.playbook_id,
        content: content.to_owned(),
        trigger: task.trigger.clone(),
    });
    let session = window.and_then(|window| window.session.clone());
    let mut payload = Payload { messages: Vec::new(), playbooks: playbooks.into_iter().collect(), session };
    for said in turns.iter().take(most_turns) {
        payload.messages.push(RolloutMessage::user(said));
        let answer = match world.respond(&payload).await {
            // A hiccup of the assistant does not cost a window; what keeps failing does.
            Err(Fault::Failed(_)) => world.respond(&payload).await?,
            answered => answered?,
        };
        payload.messages.push(RolloutMessage::assistant(answer));
    }
    Ok(payload.messages)
}

/// Answers in the order of the work, of which so much is done at the same time.
pub(crate) async fn side_by_side<T: Send>(work: Vec<BoxFuture<'_, T>>, at_once: usize) -> Vec<T> {
    futures::stream::iter(work).buffered(at_once).collect().await
}
