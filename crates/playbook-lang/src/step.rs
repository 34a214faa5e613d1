//! Steps: what they say, what kind of thing they are, and what they touch.

use serde::Serialize;
use serde_json::Value;

use crate::placeholder::Template;
use crate::span::Span;

/// One line of a playbook with the steps under it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Position in the playbook, `02.01`: stable as long as no step is inserted before it.
    pub id: String,
    /// The step without its body.
    pub span: Span,
    pub text: String,
    /// The code of a compiled file, like `QUE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    pub kind: StepKind,
    pub effects: Effects,
    pub body: Vec<Step>,
}

/// What a step does. What is not certain is [`StepKind::Instruct`]: never a guess.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum StepKind {
    /// `$total = $price * $quantity`
    Assign {
        target: Target,
        value: Expr,
    },
    /// `$name = user's response`: the model is asked for the value.
    AssignAsked {
        target: Target,
        instruction: String,
    },
    /// `ProcessPayment(total=$order_total)`, perhaps with a variable for the result.
    Call {
        target: Option<Target>,
        call: Call,
    },
    /// `Tell the user "Hello, $name!"`: the very words.
    Say {
        to: String,
        words: Template,
    },
    /// `Tell user when their order will be delivered`: the model finds the words.
    SayAsked {
        to: String,
        instruction: String,
    },
    /// `Ask user for $order_id`: the model finds the words, the answer fills the variables.
    Ask {
        to: String,
        fills: Vec<String>,
        instruction: String,
        /// `Ask the user "Which day suits you?" for $day`: the very words.
        #[serde(skip_serializing_if = "Option::is_none")]
        words: Option<Template>,
    },
    /// `Ask accountant to calculate the tax amount`: one agent asks another in words.
    Delegate {
        agent: String,
        instruction: String,
    },
    If {
        condition: Condition,
    },
    ElseIf {
        condition: Condition,
    },
    Else,
    While {
        condition: Condition,
    },
    Until {
        condition: Condition,
    },
    /// `When …` among the steps: its body runs if the condition holds.
    When {
        condition: Condition,
    },
    ForEach {
        variable: Option<String>,
        items: Items,
    },
    Return {
        value: Option<Returned>,
    },
    EndProgram,
    Wait {
        r#for: WaitFor,
    },
    Think {
        instruction: String,
    },
    /// `CHK N1` of compiled files.
    ApplyNote {
        note: String,
    },
    Approve {
        who: Option<String>,
        instruction: String,
    },
    /// Everything else is for the model.
    Instruct {
        instruction: String,
    },
    /// `JMP` and `YLD for call` of compiled files: the structure says it already.
    Nothing,
}

/// Something that can be assigned to: `$order.lines[0]`, with the variable it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Target {
    pub source: String,
    pub variable: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ty: Option<String>,
    /// `+=` and its kin, without the `=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    pub span: Span,
}

/// A Python expression as it is written, `$` included.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expr {
    pub source: String,
    pub span: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub literal: Option<Value>,
}

/// A condition, and who decides it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Condition {
    pub text: String,
    pub span: Span,
    pub decided: Decided,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Decided {
    /// It is Python.
    Expression {
        expr: Expr,
    },
    /// A phrase with one meaning, `$name is empty`; `expr` says it in Python.
    Phrase {
        expr: Expr,
    },
    Model,
}

/// What a loop goes through.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Items {
    Expression { expr: Expr },
    Model { description: String },
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Returned {
    Expression { expr: Expr },
    Call { call: Call },
    Model { instruction: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitFor {
    User,
    Agent(String),
    Seconds(u64),
    /// Something said in words.
    Other(String),
}

/// A call as it is written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Call {
    /// `Name` or `Agent.Name`.
    pub callee: String,
    /// `Agent["1001"].Name` names one instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    pub args: Vec<Arg>,
    /// The callee alone.
    pub name_span: Span,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arg {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `*rest` or `**rest`: how many arguments it is cannot be known here.
    pub is_unpacked: bool,
    pub value: Expr,
}

/// The variables and calls of a step itself, without its body.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Effects {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
}

impl Effects {
    pub(crate) fn read(&mut self, name: &str) {
        push_new(&mut self.reads, name);
    }

    pub(crate) fn write(&mut self, name: &str) {
        push_new(&mut self.writes, name);
    }
}

fn push_new(list: &mut Vec<String>, name: &str) {
    if !list.iter().any(|known| known == name) {
        list.push(name.to_owned());
    }
}

impl StepKind {
    /// Whether this kind of step holds steps that run under its control.
    #[must_use]
    pub fn is_block(&self) -> bool {
        matches!(
            self,
            Self::If { .. }
                | Self::ElseIf { .. }
                | Self::Else
                | Self::While { .. }
                | Self::Until { .. }
                | Self::When { .. }
                | Self::ForEach { .. }
        )
    }

    #[must_use]
    pub fn condition(&self) -> Option<&Condition> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only blocks have conditions")]
        match self {
            Self::If { condition }
            | Self::ElseIf { condition }
            | Self::While { condition }
            | Self::Until { condition }
            | Self::When { condition } => Some(condition),
            _ => None,
        }
    }
}
