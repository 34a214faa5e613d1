//! A tool as people write it: `Warehouse.FindOrder(id, token: str, note = None)`.

use playbook_engine::{Tool, ToolParam, Value};

/// What is wrong with the signature of a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a tool: {problem}; write Name(parameter, other: int)")]
pub struct SignatureError {
    text: String,
    problem: &'static str,
}

/// Reads the signature of a tool. A parameter with `=` may be left out.
pub fn parse_tool(text: &str) -> Result<Tool, SignatureError> {
    let wrong = |problem| SignatureError { text: text.to_owned(), problem };
    let (name, rest) = text.trim().split_once('(').ok_or_else(|| wrong("there is no `(`"))?;
    let params = rest.trim_end().strip_suffix(')').ok_or_else(|| wrong("there is no `)`"))?;
    let is_name = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let name = name.trim();
    if !name.split('.').all(is_name) || name.split('.').count() > 2 {
        return Err(wrong("its name is not `Name` or `Agent.Name`"));
    }
    let mut tool = Tool::new(name, &[]);
    for param in params.split(',').map(str::trim).filter(|param| !param.is_empty()) {
        let (declared, default) =
            param.split_once('=').map_or((param, None), |(left, right)| (left, Some(right)));
        let (name, ty) = declared.split_once(':').map_or((declared, None), |(name, ty)| (name, Some(ty)));
        let name = name.trim().trim_start_matches('$');
        if !is_name(name) || tool.params.iter().any(|known| known.name == name) {
            return Err(wrong("a parameter has no name of its own"));
        }
        let ty = ty.map(|ty| ty.trim().to_owned());
        let is_optional = default.is_some();
        tool.params.push(ToolParam { name: name.to_owned(), ty, is_optional, ..ToolParam::default() });
    }
    Ok(tool)
}

/// Arguments as the JSON object that a tool gets.
pub(crate) fn object(args: &[(String, Value)]) -> Result<serde_json::Map<String, serde_json::Value>, String> {
    let field = |(name, value): &(String, Value)| Ok((name.clone(), serde_json::to_value(value)?));
    args.iter().map(field).collect::<Result<_, serde_json::Error>>().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_says_what_a_tool_takes() {
        let tool = parse_tool(" Warehouse.FindOrder($id, token: str, note = None) ").expect("a tool");
        assert_eq!(tool.name, "Warehouse.FindOrder");
        let params: Vec<_> = tool
            .params
            .iter()
            .map(|param| (param.name.as_str(), param.ty.as_deref(), param.is_optional))
            .collect();
        assert_eq!(params, [("id", None, false), ("token", Some("str"), false), ("note", None, true)]);
        assert_eq!(parse_tool("Now()").expect("a tool").params, []);
    }

    #[test]
    fn what_is_no_signature_is_refused_with_the_way_to_write_it() {
        for text in ["Find", "Find(", "(a)", "a.b.c()", "Find(a, a)", "Find(1)", "9(a)"] {
            let error = parse_tool(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains("write Name(parameter"), "{text}: {error}");
        }
    }
}
