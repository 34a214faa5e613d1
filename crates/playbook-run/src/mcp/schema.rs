//! A tool as its server describes it, and as a playbook calls it.

use playbook_engine::{POSITIONS, Tool, ToolParam, Value};
use playbook_lang::name;
use rmcp::model::{JsonObject, Tool as Described};
use serde_json::Value as Json;

use super::fault::Fault;

/// Descriptions are shown to the model with every request.
const MOST_DESCRIPTION: usize = 500;

/// The tool that is meant: its own name, or the same words (`FindOrder` is `find_order`) if only one has them.
pub(super) fn find<'a>(tools: &'a [Described], wanted: &str) -> Result<&'a Described, Fault> {
    if let Some(tool) = tools.iter().find(|tool| tool.name == wanted) {
        return Ok(tool);
    }
    let key = name::key(wanted);
    let mut alike = tools.iter().filter(|tool| name::key(&identifier(&tool.name)) == key);
    match (alike.next(), alike.next()) {
        (Some(tool), None) => Ok(tool),
        (Some(one), Some(other)) => {
            Err(Fault::Call(format!("its server has both `{}` and `{}`", one.name, other.name)))
        }
        (None, _) => {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
            Err(Fault::Call(match playbook_lang::nearest(wanted, names.iter().copied()) {
                Some(near) => format!("its server has no such tool; did you mean `{near}`?"),
                None => format!("its server has no such tool; it has {}", names.join(", ")),
            }))
        }
    }
}

/// What the engine must know to call it under this name. JSON has no order of properties, so positions follow
/// `required`; of what may be left out, only a single one has a position.
pub(super) fn signature(written: String, tool: &Described) -> Tool {
    let schema = &tool.input_schema;
    let properties = schema.get("properties").and_then(Json::as_object).filter(|all| !all.is_empty());
    let (required, optional) = parameters(schema);
    let is_alone = optional.len() == 1;
    let param = |param: String, is_optional: bool| {
        let ty = properties.and_then(|all| all.get(&param)?.get("type")?.as_str()).and_then(python_type);
        let is_named_only = is_optional && !is_alone;
        ToolParam { name: param, ty: ty.map(str::to_owned), is_optional, is_named_only }
    };
    let required = required.into_iter().map(|name| param(name, false));
    let params: Vec<ToolParam> = required.chain(optional.into_iter().map(|name| param(name, true))).collect();
    // A schema that names nothing and forbids nothing takes what it is given.
    let takes_any = matches!(schema.get("additionalProperties"), Some(Json::Bool(true) | Json::Object(_)));
    let described = tool.description.as_deref().unwrap_or_default();
    let description = described.chars().take(MOST_DESCRIPTION).collect();
    Tool { name: written, description, params, is_open: properties.is_none() && takes_any }
}

/// The arguments as the schema names them.
pub(super) fn arguments(tool: &Described, args: &[(String, Value)]) -> Result<JsonObject, Fault> {
    let (mut positions, mut named) = (Vec::new(), Vec::new());
    for (name, value) in args {
        if let Value::List(values) = value
            && name == POSITIONS
        {
            positions.clone_from(values);
        } else {
            named.push((name.clone(), value.clone()));
        }
    }
    let signature = signature(String::new(), tool);
    if signature.is_open && !positions.is_empty() {
        return Err(Fault::Call("its parameters have no order; give arguments by name".to_owned()));
    }
    let bound = signature.bind(positions, named).map_err(Fault::Call)?;
    crate::tool::object(&bound).map_err(Fault::Call)
}

/// What must be given, in its order, and what may be.
fn parameters(schema: &JsonObject) -> (Vec<String>, Vec<String>) {
    let listed = schema.get("required").and_then(Json::as_array).into_iter().flatten();
    let required: Vec<String> = listed.filter_map(|name| Some(name.as_str()?.to_owned())).collect();
    let properties = schema.get("properties").and_then(Json::as_object);
    let names = properties.into_iter().flat_map(JsonObject::keys);
    let optional = names.filter(|name| !required.contains(name)).cloned().collect();
    (required, optional)
}

fn python_type(json: &str) -> Option<&'static str> {
    Some(match json {
        "string" => "str",
        "integer" => "int",
        "number" => "float",
        "boolean" => "bool",
        "array" => "list",
        "object" => "dict",
        _ => return None,
    })
}

/// A name that can be written in a call: `get-weather` is `get_weather`.
pub(super) fn identifier(name: &str) -> String {
    let letter = |letter: char| if letter.is_alphanumeric() { letter } else { '_' };
    name.chars().map(letter).collect()
}

/// A signature as a heading of a playbook.
pub(super) fn heading(tool: &Tool) -> String {
    let text = |param: &ToolParam| {
        let ty = param.ty.as_ref().map(|ty| format!(": {ty}")).unwrap_or_default();
        format!("{}{ty}{}", param.name, if param.is_optional { " = None" } else { "" })
    };
    let (named, plain): (Vec<_>, Vec<_>) = tool.params.iter().partition(|param| param.is_named_only);
    let star = if tool.is_open { Some("*args, **named") } else { (!named.is_empty()).then_some("*") };
    let params =
        plain.into_iter().map(text).chain(star.map(str::to_owned)).chain(named.into_iter().map(text));
    format!("{}({})", tool.name, params.collect::<Vec<_>>().join(", "))
}
