use proptest::prelude::*;

use super::*;

fn shape(window: u32, stride: u32, covered: usize, total: usize, flush: usize) -> Vec<(usize, usize, usize)> {
    let windows = due(Pace::new(window, stride), covered, total, flush);
    windows.iter().map(|window| (window.start, window.fresh, window.end)).collect()
}

#[test]
fn the_first_window_waits_until_it_is_full_and_the_next_for_a_stride() {
    assert_eq!(shape(10, 8, 0, 9, 0), []);
    assert_eq!(shape(10, 8, 0, 10, 0), [(0, 0, 10)]);
    assert_eq!(shape(10, 8, 10, 17, 0), []);
    assert_eq!(shape(10, 8, 10, 18, 0), [(8, 10, 18)]);
    assert_eq!(shape(10, 8, 0, 27, 0), [(0, 0, 10), (8, 10, 18), (16, 18, 26)]);
}

#[test]
fn a_flush_learns_from_what_is_there() {
    assert_eq!(shape(10, 8, 0, 3, 3), [(0, 0, 3)]);
    assert_eq!(shape(10, 8, 3, 6, 6), [(0, 3, 6)]);
    assert_eq!(shape(10, 8, 3, 6, 4), [(0, 3, 4)], "only up to the turn that asked for it");
    assert_eq!(shape(5, 3, 0, 12, 7), [(0, 0, 5), (3, 5, 8), (6, 8, 11)], "full windows need no flush");
    assert_eq!(shape(10, 8, 3, 3, 3), []);
}

#[test]
fn a_window_that_makes_no_sense_is_made_to() {
    assert_eq!(Pace::new(0, 0), Pace::new(1, 1));
    assert_eq!(Pace::new(4, 9), Pace::new(4, 4));
    assert_eq!(last(Pace::new(4, 2), 0), None);
    assert_eq!(last(Pace::new(4, 2), 9), Some(Window { start: 5, fresh: 5, end: 9 }));
}

proptest! {
    #[test]
    fn every_turn_is_new_in_exactly_one_window(window in 0_u32..40, stride in 0_u32..40, total in 0_usize..300) {
        let pace = Pace::new(window, stride);
        let windows = all(pace, total);
        let new: Vec<usize> = windows.iter().flat_map(|window| window.fresh..window.end).collect();
        prop_assert_eq!(new, (0..total).collect::<Vec<_>>());
        for window in windows {
            prop_assert!(window.start <= window.fresh && window.end - window.start <= pace.window());
        }
    }

    #[test]
    fn it_does_not_matter_how_turns_arrive(
        window in 1_u32..20, stride in 1_u32..20, arrivals in prop::collection::vec((0_usize..15, any::<bool>()), 1..20)
    ) {
        let pace = Pace::new(window, stride);
        let (mut covered, mut total) = (0, 0);
        for (more, flush) in arrivals {
            total += more;
            let flush_to = if flush { total } else { 0 };
            for window in due(pace, covered, total, flush_to) {
                prop_assert_eq!(window.fresh, covered);
                prop_assert!(window.end > covered && window.end <= total);
                covered = window.end;
            }
            if flush {
                prop_assert_eq!(covered, total);
            } else {
                prop_assert!(total - covered < pace.window(), "a full window is never left waiting");
            }
        }
    }
}
