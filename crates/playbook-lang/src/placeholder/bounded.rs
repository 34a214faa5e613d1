//! Values in which the same list stands in many places: small in the interpreter, and beyond all memory wherever they
//! are written out, as the result, as the argument of a call, as a text. So they are counted first, in the interpreter,
//! where the time is limited.

use ruff_python_ast::{Expr as Py, ExprBinOp, Operator};

/// `__bounded(x)` gives `x`, or fails if it has too many parts to be written out.
pub const BOUNDED: &str = "def __bounded(x):\n    todo = [x]\n    count = 0\n    while todo:\n        some = todo.pop()\n        if isinstance(some, dict):\n            some = list(some.keys()) + list(some.values())\n        if isinstance(some, (list, tuple, set, frozenset)):\n            count += len(some)\n            if count > 100000:\n                raise MemoryError('it makes a value of more than 100000 parts')\n            todo.extend([part for part in some if isinstance(part, (list, tuple, set, frozenset, dict))])\n    return x\n";

/// Functions and methods whose result holds every part of their arguments once at most.
const KEEPS_SIZE: &[&str] = &[
    "abs",
    "all",
    "any",
    "bool",
    "endswith",
    "float",
    "format",
    "get",
    "int",
    "items",
    "join",
    "keys",
    "len",
    "lower",
    "max",
    "min",
    "replace",
    "round",
    "split",
    "startswith",
    "str",
    "strip",
    "title",
    "upper",
    "values",
];

pub(super) fn keeps_size(function: &str) -> bool {
    KEEPS_SIZE.contains(&function)
}

/// Whether an expression can put one value into many places.
pub(super) fn repeats(expr: &Py) -> bool {
    let is_product = |binary: &ExprBinOp| binary.op == Operator::Mult;
    matches!(expr, Py::ListComp(_) | Py::SetComp(_) | Py::DictComp(_) | Py::Generator(_) | Py::Named(_))
        || expr.as_bin_op_expr().is_some_and(is_product)
}
