use crate::polarity::Stance;

/// How many of a side are asked whether they contradict: enough for any real cluster, and ten thousand stay quick.
const MOST_ASKED: usize = 64;

/// Sets apart members that tell opposite things. Each goes to the first side that it contradicts less than half of, and that
/// nobody there contradicts more than anywhere else; members that oppose nobody stay with the largest side.
///
/// Sides come in the order of their sizes; there is one side if nobody contradicts.
pub(super) fn sides(stances: &[&Stance]) -> Vec<Vec<usize>> {
    let mut sides: Vec<Vec<usize>> = Vec::new();
    let mut neutral = Vec::new();
    for (member, stance) in stances.iter().enumerate() {
        let opposed =
            |side: &[usize]| side.iter().take(MOST_ASKED).any(|&it| contradict(stances, it, stance));
        let agreeing = sides.iter().position(|side| !opposed(side));
        match agreeing {
            _ if stances.iter().take(MOST_ASKED).all(|other| !stance.contradicts(other)) => {
                neutral.push(member)
            }
            Some(side) => sides.get_mut(side).into_iter().for_each(|side| side.push(member)),
            None => sides.push(vec![member]),
        }
    }
    sides.sort_by_key(|side| std::cmp::Reverse(side.len()));
    match sides.first_mut() {
        Some(largest) => {
            largest.extend(neutral);
            largest.sort_unstable();
        }
        None => sides.push(neutral),
    }
    sides
}

fn contradict(stances: &[&Stance], member: usize, stance: &Stance) -> bool {
    stances.get(member).is_some_and(|other| other.contradicts(stance))
}
