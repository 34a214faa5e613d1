use crate::polarity::Stance;

/// How many members are asked whether they contradict another one: all of any usual cluster, and ten thousand stay quick.
const MOST_ASKED: usize = 64;

/// Sets apart members that tell opposite things. Each goes to the first side where nobody contradicts it; those that nobody
/// contradicts at all stay with the largest side. There is one side if everybody agrees.
pub(super) fn sides(stances: &[Stance]) -> Vec<Vec<usize>> {
    let judges = judges(stances);
    let mut sides: Vec<Vec<usize>> = Vec::new();
    let mut neutral = Vec::new();
    for (member, stance) in stances.iter().enumerate() {
        let opposed = |side: &[usize]| {
            side.iter().take(MOST_ASKED).filter_map(|&at| stances.get(at)).any(|it| it.contradicts(stance))
        };
        if !judges.iter().any(|judge| judge.contradicts(stance)) {
            neutral.push(member);
        } else if let Some(side) = sides.iter_mut().find(|side| !opposed(side)) {
            side.push(member);
        } else {
            sides.push(vec![member]);
        }
    }
    match sides.iter_mut().max_by_key(|side| side.len()) {
        Some(largest) => {
            largest.extend(neutral);
            largest.sort_unstable();
        }
        None => sides.push(neutral),
    }
    sides
}

/// Members from all over the cluster: as many that may contradict by themselves as others.
fn judges(stances: &[Stance]) -> Vec<&Stance> {
    let (opposing, plain): (Vec<&Stance>, Vec<&Stance>) = stances.iter().partition(|it| it.may_oppose());
    // Where nobody may oppose, nobody does.
    if opposing.is_empty() { Vec::new() } else { [spread(opposing), spread(plain)].concat() }
}

fn spread(members: Vec<&Stance>) -> Vec<&Stance> {
    let step = members.len().div_ceil(MOST_ASKED).max(1);
    members.into_iter().step_by(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(texts: &[&str]) -> Vec<usize> {
        let stances: Vec<Stance> = texts.iter().map(|text| Stance::of(text)).collect();
        sides(&stances).iter().map(Vec::len).collect()
    }

    #[test]
    fn a_minority_is_set_apart_wherever_it_stands() {
        let mut texts = vec!["Offer a refund for late parcels"; 200];
        texts.extend(["Never offer a refund for late parcels"; 30]);
        assert_eq!(split(&texts), [200, 30]);
        texts.reverse();
        assert_eq!(split(&texts), [30, 200]);
    }

    #[test]
    fn members_that_nobody_contradicts_stay_with_the_majority() {
        let texts = ["Use emoji", "Answer in English", "Do not use emoji", "Use emoji, please", "Be polite"];
        assert_eq!(split(&texts), [4, 1]);
        assert_eq!(split(&["Use emoji", "Be polite"]), [2]);
        assert_eq!(split(&["Never be rude", "Do not be rude"]), [2]);
    }
}
