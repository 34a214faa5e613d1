//! What holds for any program, whatever was in its files. The fuzz targets check the same.

use playbook_lang::{
    Agent, Fixes, Playbook, Program, SourceFile, Span, Step, Symbol, Symbols, explain_text, fixed, format,
    rename, render,
};

/// Everything that is said about a program: checked, explained, rendered, repaired, and laid out.
#[track_caller]
pub(crate) fn check(program: &Program, text: &str) {
    check_spans(program);
    let _ = (explain_text(program), render::text(program), render::tree(program));
    let _ = (render::json(program), render::sarif(program, "test", "0"));
    for which in [Fixes::Safe, Fixes::All] {
        check_fixes(program, which);
    }
    let once = format(text);
    assert_eq!(format(&once), once, "formatting is stable");
}

/// What fixes make is a program with sound places again.
fn check_fixes(program: &Program, which: Fixes) {
    for (file, source) in program.sources().iter() {
        let (text, applied) = fixed(program, file, which);
        if applied.is_empty() {
            assert_eq!(text, source.text, "without a fix nothing changes");
        } else {
            check_spans(&Program::parse(vec![SourceFile::new(source.name.clone(), text)]));
        }
    }
}

pub(crate) fn check_spans(program: &Program) {
    for diagnostic in program.diagnostics() {
        valid(program, diagnostic.span);
        if let Some(fix) = &diagnostic.fix {
            valid(program, fix.span);
        }
    }
    for agent in &program.agents {
        check_agent(program, agent);
    }
    check_names(program);
}

/// Names stand where they are said to, none in another, and each can be renamed or says why not.
fn check_names(program: &Program) {
    let symbols = Symbols::new(program);
    let places: Vec<_> = symbols.iter().collect();
    for pair in places.windows(2) {
        let (left, right) = (pair[0].span, pair[1].span);
        assert!(left.file < right.file || left.end <= right.start, "{left:?} and {right:?}");
    }
    for place in places.iter().take(20) {
        valid(program, place.span);
        if let Symbol::Variable { name, .. } = &place.symbol {
            assert_eq!(program.sources().slice(place.span), name);
        }
        let _ = rename(program, &symbols, &place.symbol, "another_name");
    }
}

fn check_agent(program: &Program, agent: &Agent) {
    valid(program, agent.span);
    valid(program, agent.title.span);
    for playbook in &agent.playbooks {
        inside(program, agent.span, playbook.span);
        check_playbook(program, playbook);
    }
    for block in &agent.python {
        inside(program, agent.span, block.span);
    }
}

fn check_playbook(program: &Program, playbook: &Playbook) {
    let within = playbook.span;
    inside(program, within, playbook.title.span);
    inside(program, within, playbook.name.span);
    inside(program, within, playbook.description.span);
    for placeholder in playbook.description.placeholders() {
        inside(program, within, placeholder.span);
    }
    for trigger in &playbook.triggers {
        inside(program, within, trigger.span);
    }
    for note in &playbook.notes {
        inside(program, within, note.span);
    }
    for step in &playbook.steps {
        check_step(program, within, step);
    }
}

fn check_step(program: &Program, within: Span, step: &Step) {
    inside(program, within, step.span);
    if let Some(condition) = step.kind.condition() {
        inside(program, step.span, condition.span);
    }
    for call in &step.effects.calls {
        inside(program, step.span, call.span);
        inside(program, step.span, call.name_span);
    }
    for inner in &step.body {
        check_step(program, within, inner);
    }
}

fn valid(program: &Program, span: Span) {
    let Some(file) = program.sources().file(span.file) else {
        assert!(program.sources().iter().next().is_none(), "{span:?} names a file");
        return;
    };
    assert!(span.start <= span.end, "{span:?} ends before it starts");
    assert!(file.text.get(span.range()).is_some(), "{span:?} is not in `{}`", file.name);
    let (start, end) = (program.sources().start(span), program.sources().end(span));
    assert!(start <= end);
    assert_eq!(
        program.sources().offset(span.file, start),
        span.start,
        "{span:?} and {start:?} are one place"
    );
}

/// A part lies within the whole, unless an import put them into different files.
fn inside(program: &Program, outer: Span, inner: Span) {
    valid(program, inner);
    if outer.file == inner.file {
        assert!(
            outer.contains(inner),
            "{inner:?} is not inside {outer:?}: {:?}",
            program.sources().slice(inner)
        );
    }
}
