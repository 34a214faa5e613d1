//! `'%s of %d' % (a, b)`: the interpreter does not have it yet, so it is done here.

use monty_types::MontyObject;

/// Formats as Python does; the error is a message for a `TypeError` or `ValueError`.
pub(super) fn format(template: &str, values: &MontyObject) -> Result<String, String> {
    let items = if let MontyObject::Tuple(items) = values { items.iter().collect() } else { vec![values] };
    let mut values = Values { items, next: 0, whole: values };
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let (spec, after) = Spec::parse(&rest[at + 1..])?;
        rest = after;
        if spec.kind == '%' {
            out.push('%');
            continue;
        }
        let value = values.take(spec.key)?;
        out.push_str(&spec.apply(value)?);
    }
    out.push_str(rest);
    let is_mapping = matches!(values.whole, MontyObject::Dict(_));
    if values.next < values.items.len() && !is_mapping {
        return Err("not all arguments converted during string formatting".to_owned());
    }
    Ok(out)
}

struct Values<'a> {
    items: Vec<&'a MontyObject>,
    next: usize,
    whole: &'a MontyObject,
}

impl<'a> Values<'a> {
    fn take(&mut self, key: Option<&str>) -> Result<&'a MontyObject, String> {
        if let Some(key) = key {
            let MontyObject::Dict(pairs) = self.whole else {
                return Err("format requires a mapping".to_owned());
            };
            let found =
                pairs.into_iter().find(|(name, _)| matches!(name, MontyObject::String(name) if name == key));
            return found.map(|(_, value)| value).ok_or_else(|| format!("'{key}'"));
        }
        let value = self.items.get(self.next).copied();
        self.next += 1;
        value.ok_or_else(|| "not enough arguments for format string".to_owned())
    }
}

#[derive(Default)]
struct Spec<'a> {
    key: Option<&'a str>,
    is_left: bool,
    is_zero: bool,
    has_plus: bool,
    has_blank: bool,
    width: usize,
    precision: Option<usize>,
    kind: char,
}

impl<'a> Spec<'a> {
    fn parse(text: &'a str) -> Result<(Self, &'a str), String> {
        let mut spec = Self::default();
        let mut rest = text;
        if let Some(inner) = rest.strip_prefix('(') {
            let close = inner.find(')').ok_or("incomplete format key")?;
            spec.key = Some(&inner[..close]);
            rest = &inner[close + 1..];
        }
        while let Some(flag) = rest.chars().next().filter(|flag| "-0+ #".contains(*flag)) {
            spec.is_left |= flag == '-';
            spec.is_zero |= flag == '0';
            spec.has_plus |= flag == '+';
            spec.has_blank |= flag == ' ';
            rest = &rest[1..];
        }
        (spec.width, rest) = digits(rest);
        if let Some(inner) = rest.strip_prefix('.') {
            let (precision, after) = digits(inner);
            spec.precision = Some(precision);
            rest = after;
        }
        spec.kind = rest.chars().next().ok_or("incomplete format")?;
        if spec.width > 10_000 || spec.precision.is_some_and(|precision| precision > 300) {
            return Err("the format is too wide".to_owned());
        }
        let after = &rest[spec.kind.len_utf8()..];
        Ok((spec, after))
    }

    fn apply(&self, value: &MontyObject) -> Result<String, String> {
        let text = match self.kind {
            's' => cut(value.to_string(), self.precision),
            'r' | 'a' => cut(value.py_repr(), self.precision),
            'd' | 'i' | 'u' => self.signed(integer(value)?),
            'x' => format!("{:x}", small(value)?),
            'X' => format!("{:X}", small(value)?),
            'o' => format!("{:o}", small(value)?),
            'c' => value.to_string(),
            'f' | 'F' => self.signed(format!("{:.*}", self.precision.unwrap_or(6), float(value)?)),
            'e' => self.signed(exponent(float(value)?, self.precision.unwrap_or(6))),
            other => return Err(format!("unsupported format character '{other}'")),
        };
        Ok(self.padded(text))
    }

    fn signed(&self, text: String) -> String {
        match (text.starts_with('-'), self.has_plus, self.has_blank) {
            (false, true, _) => format!("+{text}"),
            (false, false, true) => format!(" {text}"),
            _ => text,
        }
    }

    fn padded(&self, text: String) -> String {
        let missing = self.width.saturating_sub(text.chars().count());
        if missing == 0 {
            text
        } else if self.is_left {
            text + &" ".repeat(missing)
        } else if self.is_zero && !matches!(self.kind, 's' | 'r' | 'a' | 'c') {
            let sign = text.len() - text.trim_start_matches(['-', '+', ' ']).len();
            format!("{}{}{}", &text[..sign], "0".repeat(missing), &text[sign..])
        } else {
            " ".repeat(missing) + &text
        }
    }
}

fn digits(text: &str) -> (usize, &str) {
    let len = text.bytes().take_while(u8::is_ascii_digit).count();
    (text[..len].parse().unwrap_or(if len == 0 { 0 } else { usize::MAX }), &text[len..])
}

fn cut(text: String, precision: Option<usize>) -> String {
    match precision {
        Some(count) => text.chars().take(count).collect(),
        None => text,
    }
}

fn integer(value: &MontyObject) -> Result<String, String> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "only numbers are numbers")]
    match value {
        MontyObject::Int(_) | MontyObject::BigInt(_) => Ok(value.to_string()),
        MontyObject::Bool(value) => Ok(u8::from(*value).to_string()),
        MontyObject::Float(float) => Ok(format!("{:.0}", float.trunc())),
        _ => Err("%d format: a real number is required".to_owned()),
    }
}

fn small(value: &MontyObject) -> Result<i64, String> {
    integer(value)?.parse().map_err(|_| "%x format: an integer is required".to_owned())
}

fn float(value: &MontyObject) -> Result<f64, String> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "only numbers are numbers")]
    match value {
        MontyObject::Float(float) => Ok(*float),
        MontyObject::Int(_) | MontyObject::Bool(_) => {
            integer(value)?.parse().map_err(|_| "must be real number".to_owned())
        }
        _ => Err("must be real number, not str".to_owned()),
    }
}

/// Rust writes `1e2` where Python writes `1e+02`.
fn exponent(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((digits, power)) => {
            let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
            format!("{digits}e{sign}{power:0>2}")
        }
        None => text,
    }
}
