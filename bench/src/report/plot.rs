/// Steps between two lines of a plot; the first that needs few enough lines is taken.
const STEPS: [f64; 6] = [1.1, 1.25, 1.5, 2.0, 4.0, 10.0];
const MOST_LINES: usize = 12;
const COLUMN: usize = 9;

/// Curves with a mark each, over the same places; both scales are logarithmic.
pub(super) fn plot(title: &str, places: &[String], curves: &[(char, Vec<f64>)]) -> String {
    let values = || curves.iter().flat_map(|(_, values)| values).copied().filter(|value| *value > 0.0);
    let (Some(least), Some(most)) = (values().reduce(f64::min), values().reduce(f64::max)) else {
        return String::new();
    };
    let step = STEPS.into_iter().find(|step| level(most, least, *step) < MOST_LINES).unwrap_or(100.0);
    let lines = level(most, least, step) + 1;
    let mut text = format!("{title}\n");
    for line in (0..lines).rev() {
        let value = least * step.powi(i32::try_from(line).unwrap_or(i32::MAX));
        let marks: String = (0..places.len()).map(|place| cell(curves, place, line, least, step)).collect();
        text.push_str(&format!("{:>9} |{}\n", super::format::number(value), marks.trim_end()));
    }
    let names: String = places.iter().map(|place| format!("{place:^COLUMN$}")).collect();
    text.push_str(&format!(
        "{:>9} +{}\n{:>9}  {}",
        "",
        "-".repeat(COLUMN * places.len()),
        "",
        names.trim_end()
    ));
    text
}

/// The first curve that passes here; later ones are hidden behind it.
fn cell(curves: &[(char, Vec<f64>)], place: usize, line: usize, least: f64, step: f64) -> String {
    let passes =
        |values: &Vec<f64>| values.get(place).is_some_and(|v| *v > 0.0 && level(*v, least, step) == line);
    let mark = curves.iter().find(|(_, values)| passes(values)).map_or(' ', |(mark, _)| *mark);
    format!("{mark:^COLUMN$}")
}

fn level(value: f64, least: f64, step: f64) -> usize {
    ((value / least).ln() / step.ln()).round() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_stand_over_their_places() {
        let places = ["10".to_owned(), "100".to_owned(), "1000".to_owned()];
        let curves = [('o', vec![1.0, 2.0, 4.0]), ('x', vec![2.0, 4.0, 1024.0])];
        let expected = "
p50 o, p99 x
    1,024 |                      x
      256 |
     64.0 |
     16.0 |
     4.00 |             x        o
     1.00 |    o
          +---------------------------
              10       100     1000";
        let drawn = plot("p50 o, p99 x", &places, &curves);
        assert!(drawn.lines().count() <= MOST_LINES + 3, "{drawn}");
        assert_eq!(drawn.lines().next(), expected.lines().nth(1));
        assert_eq!(drawn.matches('o').count() - 1, 3, "{drawn}");
        assert_eq!(drawn.lines().last(), expected.lines().last(), "{drawn}");
    }

    #[test]
    fn nothing_to_draw_is_no_picture() {
        assert_eq!(plot("empty", &[], &[('o', vec![])]), "");
    }
}
