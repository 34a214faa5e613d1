use crate::builtin::cues::Table;

/// The infinitive of an English `-ing` or past form, as an instruction needs it: asking, asked → ask.
pub(in crate::builtin) fn base_form(word: &str, table: &Table) -> String {
    if let Some(base) = table.form(word) {
        return base.to_owned();
    }
    let stem = match (word.strip_suffix("ing"), word.strip_suffix("ied"), word.strip_suffix("ed")) {
        (Some(stem), _, _) if stem.len() >= 2 => stem,
        (_, Some(stem), _) if stem.len() >= 2 => return format!("{stem}y"),
        (_, _, Some(stem)) if stem.len() >= 2 => stem,
        _ => return word.to_owned(),
    };
    let mut ending = stem.chars().rev();
    let (last, before) = (ending.next().unwrap_or(' '), ending.next().unwrap_or(' '));
    if last == before && !matches!(last, 'l' | 's' | 'z' | 'f' | 'e' | 'o') {
        return stem.get(..stem.len() - last.len_utf8()).unwrap_or(stem).to_owned();
    }
    if needs_e(stem, last, before) { format!("{stem}e") } else { stem.to_owned() }
}

/// Whether the infinitive had an `e` that the ending swallowed; the table knows the exceptions.
fn needs_e(stem: &str, last: char, before: char) -> bool {
    let vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    matches!(last, 'v' | 'c' | 'u')
        || (last == 's' && vowel(before))
        || (last == 'g' && before == 'n' && stem.ends_with("ang"))
        || ["at", "iz", "ur", "ir", "id", "ud", "ak", "ik", "ok", "yp", "os", "az", "rg", "dg"]
            .iter()
            .any(|ending| stem.ends_with(ending) && stem.len() > 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::Language;

    #[test]
    fn instructions_use_the_infinitive() {
        let table = Table::of(Language::English);
        for (form, base) in [
            ("asking", "ask"),
            ("using", "use"),
            ("putting", "put"),
            ("calling", "call"),
            ("providing", "provide"),
            ("changed", "change"),
            ("told", "tell"),
            ("waited", "wait"),
            ("replied", "reply"),
            ("repeating", "repeat"),
            ("showing", "show"),
            ("suggesting", "suggest"),
            ("ask", "ask"),
            ("ing", "ing"),
        ] {
            assert_eq!(base_form(form, table), base);
        }
    }
}
