//! Python blocks: which functions they define, and which of those are playbooks.

use std::ops::Range;

use ruff_python_ast::{self as ast, Expr as Py, Stmt};
use ruff_text_size::Ranged;
use serde_json::{Map, Value};

use crate::expr::literal;
use crate::lexer;
use crate::tree::ParamKind;

/// Longer statements are not looked into: their trees could be too deep to walk.
const MAX_SYMBOLS: usize = 2_000;

/// What a block defines. Ranges are offsets in its code.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) functions: Vec<String>,
    pub(crate) playbooks: Vec<PythonPlaybook>,
    pub(crate) error: Option<(usize, String)>,
}

#[derive(Debug)]
pub(crate) struct PythonPlaybook {
    pub(crate) name: String,
    pub(crate) range: Range<usize>,
    pub(crate) name_range: Range<usize>,
    pub(crate) params: Vec<PythonParam>,
    pub(crate) returns: Option<String>,
    pub(crate) description: String,
    pub(crate) triggers: Vec<String>,
    pub(crate) meta: Map<String, Value>,
}

#[derive(Debug)]
pub(crate) struct PythonParam {
    pub(crate) name: String,
    pub(crate) kind: ParamKind,
    pub(crate) ty: Option<String>,
    pub(crate) default: Option<(String, Option<Value>)>,
}

pub(crate) fn parse(code: &str) -> Module {
    if is_too_complex(code) {
        return Module::default();
    }
    let mut module = Module::default();
    match ruff_python_parser::parse_module(code) {
        Ok(parsed) => {
            for statement in parsed.suite() {
                define(statement, code, &mut module);
            }
        }
        Err(error) => {
            module.error =
                Some((usize::from(error.location.start()).min(code.len()), error.error.to_string()));
        }
    }
    module
}

pub(crate) fn is_too_complex(code: &str) -> bool {
    let mut symbols = 0;
    let end = lexer::walk(code, 0, |_, byte, depth| {
        if byte == b'\n' && depth == 0 {
            symbols = 0;
        }
        symbols += usize::from(byte.is_ascii_punctuation() && byte != b'_');
        symbols > MAX_SYMBOLS
    });
    matches!(end, lexer::End::Stopped(_))
}

fn define(statement: &Stmt, code: &str, module: &mut Module) {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements define no names that can be called")]
    match statement {
        Stmt::FunctionDef(function) => {
            module.functions.push(function.name.to_string());
            if let Some(decorator) = function.decorator_list.iter().find(|decorator| is_playbook(decorator)) {
                module.playbooks.push(playbook(function, &decorator.expression, code));
            }
        }
        Stmt::ClassDef(class) => module.functions.push(class.name.to_string()),
        Stmt::Import(import) => module.functions.extend(import.names.iter().map(bound_name)),
        Stmt::ImportFrom(import) => module.functions.extend(import.names.iter().map(bound_name)),
        Stmt::Assign(assign) => {
            let names = assign.targets.iter().filter_map(Py::as_name_expr);
            module.functions.extend(names.map(|name| name.id.to_string()));
        }
        _ => {}
    }
}

fn bound_name(alias: &ast::Alias) -> String {
    alias.asname.as_ref().unwrap_or(&alias.name).to_string()
}

fn is_playbook(decorator: &ast::Decorator) -> bool {
    let callee = if let Py::Call(call) = &decorator.expression { &call.func } else { &decorator.expression };
    callee.as_name_expr().is_some_and(|name| name.id.as_str() == "playbook")
}

fn playbook(function: &ast::StmtFunctionDef, decorator: &Py, code: &str) -> PythonPlaybook {
    let mut meta = Map::new();
    let mut triggers = Vec::new();
    if let Py::Call(call) = decorator {
        for keyword in &call.arguments.keywords {
            let (Some(name), Some(value)) = (&keyword.arg, literal(&keyword.value)) else { continue };
            match (name.as_str(), value) {
                ("triggers", Value::Array(list)) => {
                    triggers.extend(list.iter().filter_map(|text| text.as_str().map(str::to_owned)));
                }
                (key, value) => {
                    meta.insert(key.to_owned(), value);
                }
            }
        }
    }
    let slice = |range: ruff_text_size::TextRange| code.get(range.start().into()..range.end().into());
    PythonPlaybook {
        name: function.name.to_string(),
        range: function.range().start().into()..function.range().end().into(),
        name_range: function.name.range().start().into()..function.name.range().end().into(),
        params: params(&function.parameters, &slice),
        returns: function.returns.as_ref().and_then(|ty| slice(ty.range())).map(str::to_owned),
        description: docstring(function),
        triggers,
        meta,
    }
}

fn params<'a>(
    parameters: &ast::Parameters,
    slice: &impl Fn(ruff_text_size::TextRange) -> Option<&'a str>,
) -> Vec<PythonParam> {
    let one = |param: &ast::Parameter, kind: ParamKind, default: Option<&Py>| PythonParam {
        name: param.name.to_string(),
        kind,
        ty: param.annotation.as_ref().and_then(|ty| slice(ty.range())).map(str::to_owned),
        default: default.map(|value| (slice(value.range()).unwrap_or_default().to_owned(), literal(value))),
    };
    let plain = parameters.posonlyargs.iter().chain(&parameters.args);
    let mut params: Vec<PythonParam> =
        plain.map(|param| one(&param.parameter, ParamKind::Plain, param.default.as_deref())).collect();
    params.extend(parameters.vararg.iter().map(|param| one(param, ParamKind::Positionals, None)));
    let named = parameters.kwonlyargs.iter();
    params.extend(named.map(|param| one(&param.parameter, ParamKind::KeywordOnly, param.default.as_deref())));
    params.extend(parameters.kwarg.iter().map(|param| one(param, ParamKind::Keywords, None)));
    params
}

/// The first line of the docstring.
fn docstring(function: &ast::StmtFunctionDef) -> String {
    let Some(Stmt::Expr(first)) = function.body.first() else { return String::new() };
    let Py::StringLiteral(text) = first.value.as_ref() else { return String::new() };
    text.value.to_str().trim().lines().next().unwrap_or_default().to_owned()
}
