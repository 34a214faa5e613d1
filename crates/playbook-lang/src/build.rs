//! Blocks into agents and playbooks.

use std::ops::Range;

use crate::diagnostic::{Code, Diagnostic};
use crate::intro::{self, FirstList};
use crate::items::{self, joined};
use crate::load::Expanded;
use crate::markdown::{self, Block};
use crate::name;
use crate::python_block;
use crate::section::{self, Section};
use crate::span::{Lines, Span, Spanned};
use crate::tree::{Agent, AgentKind, Mode, Playbook};

/// Collects the agents of all files; a file may go on with the last agent of the file before.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) agents: Vec<Agent>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A heading of the first three levels and the blocks up to the next one.
pub(crate) struct Area<'a> {
    pub(crate) level: u8,
    pub(crate) heading: &'a Block,
    pub(crate) blocks: &'a [Block],
    /// From the line after the heading to the next heading.
    pub(crate) body: Range<usize>,
}

/// A text and its lines, which everything below works on.
pub(crate) struct File<'a> {
    pub(crate) source: &'a Expanded,
    pub(crate) lines: Lines,
}

impl File<'_> {
    pub(crate) fn text(&self) -> &str {
        &self.source.text
    }

    pub(crate) fn span(&self, range: Range<usize>) -> Span {
        self.source.span(range)
    }
}

impl Builder {
    pub(crate) fn file(&mut self, source: &Expanded) {
        let file = File { source, lines: Lines::new(&source.text) };
        let blocks = markdown::blocks(file.text(), &file.lines);
        let areas = areas(&blocks, &file);
        let mut is_in_playbook = false;
        for (index, area) in areas.iter().enumerate() {
            match area.level {
                1 => {
                    self.agent(area, &file);
                    is_in_playbook = false;
                }
                2 => {
                    let sections = areas[index + 1..].iter().take_while(|area| area.level == 3);
                    let has_steps = sections
                        .map(|area| section::of(&title(area, &file).0))
                        .any(|section| matches!(section, Section::Steps));
                    self.playbook(area, &file, has_steps);
                    is_in_playbook = true;
                }
                _ if is_in_playbook => self.section(area, &file),
                _ => self.outside(area, &file),
            }
        }
    }

    fn agent(&mut self, area: &Area<'_>, file: &File<'_>) {
        let (title, range) = title(area, file);
        let span = file.span(range);
        let (raw, kind) = name::agent_header(&title);
        let kind = kind.unwrap_or_else(|unknown| {
            let message = format!("`{unknown}` is not a type of agent; use `AI`, `Human` or `MCP`");
            let mut diagnostic = Diagnostic::new(Code::AgentHeader, span, message);
            let known = ["AI", "Human", "MCP"].into_iter().find(|known| known.eq_ignore_ascii_case(unknown));
            if let Some(known) = known {
                diagnostic = diagnostic.fix(format!("write `{known}`"), span, format!("{raw}:{known}"));
            }
            self.diagnostics.push(diagnostic);
            AgentKind::Ai
        });
        let class = name::camel(raw);
        let is_class = class.starts_with(|first: char| first.is_ascii_uppercase())
            && class.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_class {
            let message =
                format!("`{raw}` cannot be an agent's name; use letters and digits, beginning with a letter");
            self.diagnostics.push(Diagnostic::new(Code::AgentHeader, span, message));
        }
        let intro = intro::intro(area, FirstList::Prose, file, &mut self.diagnostics);
        let mut agent = Agent {
            title: Spanned::new(raw.to_owned(), span),
            class,
            kind,
            is_implicit: false,
            meta: intro.meta,
            description: intro.description,
            playbooks: Vec::new(),
            python: Vec::new(),
            span: file.span(area.heading.range.start..area.body.end),
        };
        python_block::take(&mut agent, intro.python, file, &mut self.diagnostics);
        self.agents.push(agent);
    }

    /// The agent that playbooks belong to; one is made up where none is written.
    fn current(&mut self, at: Span, top: Span) -> Option<&mut Agent> {
        if self.agents.is_empty() {
            let diagnostic = Diagnostic::new(Code::NoAgent, at, "the program has no agent")
                .help("begin the file with a first-level heading that names the agent")
                .fix("add an agent", top, "# Agent\n\n");
            self.diagnostics.push(diagnostic);
            self.agents.push(Agent {
                title: Spanned::new("Agent".to_owned(), at.at_start()),
                class: "Agent".to_owned(),
                kind: AgentKind::Ai,
                is_implicit: true,
                meta: crate::meta::Meta::default(),
                description: crate::placeholder::Template::default(),
                playbooks: Vec::new(),
                python: Vec::new(),
                span: at,
            });
        }
        self.agents.last_mut()
    }

    fn playbook(&mut self, area: &Area<'_>, file: &File<'_>, has_steps: bool) {
        let (title, range) = title(area, file);
        let heading = intro::heading(&title, range, file, &mut self.diagnostics);
        let first_list = if has_steps { FirstList::Prose } else { FirstList::Steps };
        let intro = intro::intro(area, first_list, file, &mut self.diagnostics);
        let span = file.span(area.heading.range.start..area.body.end);
        let steps = intro.steps.map(|list| items::steps(list, file.source, "", 0)).unwrap_or_default();
        let mode = match intro.meta.text("execution_mode") {
            Some("raw") => Mode::Raw,
            _ if has_steps || !steps.is_empty() => Mode::Steps,
            _ => Mode::React,
        };
        let playbook = Playbook {
            title: heading.title,
            key: name::key(&heading.name.value),
            name: heading.name,
            params: heading.params,
            returns: heading.returns,
            meta: intro.meta,
            description: intro.description,
            triggers: Vec::new(),
            steps,
            notes: Vec::new(),
            sections: Vec::new(),
            mode,
            span,
        };
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        let implicit_at = file.span(area.heading.range.clone());
        self.diagnostics = Vec::new();
        if let Some(agent) = self.current(implicit_at, file.span(0..0)) {
            agent.span = agent.span.to(span);
            agent.playbooks.push(playbook);
            python_block::take(agent, intro.python, file, &mut diagnostics);
        }
        diagnostics.append(&mut self.diagnostics);
        self.diagnostics = diagnostics;
    }

    fn section(&mut self, area: &Area<'_>, file: &File<'_>) {
        let (title, range) = title(area, file);
        let span = file.span(area.heading.range.start..area.body.end);
        let title = Spanned::new(title, file.span(range));
        let Some(agent) = self.agents.last_mut() else { return };
        agent.span = agent.span.to(span);
        // Functions of Python blocks come after the playbook they stand in.
        let Some(playbook) = agent.playbooks.iter_mut().rev().find(|playbook| playbook.mode != Mode::Python)
        else {
            return;
        };
        playbook.span = playbook.span.to(span);
        let python = section::fill(playbook, &title, area, file, &mut self.diagnostics);
        python_block::take(agent, python, file, &mut self.diagnostics);
    }

    fn outside(&mut self, area: &Area<'_>, file: &File<'_>) {
        let span = file.span(area.heading.range.clone());
        let message = "this section belongs to no playbook; put a second-level heading with the playbook's name above it";
        self.diagnostics.push(Diagnostic::new(Code::SectionOutside, span, message));
    }
}

fn areas<'a>(blocks: &'a [Block], file: &File<'_>) -> Vec<Area<'a>> {
    let heads: Vec<(usize, u8)> = blocks
        .iter()
        .enumerate()
        .filter_map(|(index, block)| block.kind.head_level().map(|level| (index, level)))
        .collect();
    let mut areas = Vec::with_capacity(heads.len());
    for (position, &(index, level)) in heads.iter().enumerate() {
        let next = heads.get(position + 1).map_or(blocks.len(), |&(next, _)| next);
        let heading = &blocks[index];
        let line = file.lines.line_of(heading.range.start);
        let end = blocks.get(next).map_or_else(
            || file.text().len(),
            |next| file.lines.start(file.lines.line_of(next.range.start), file.text()),
        );
        let start = file.lines.start(line + 1, file.text()).min(end);
        areas.push(Area { level, heading, blocks: &blocks[index + 1..next], body: start..end });
    }
    areas
}

/// The words of a heading and where they stand.
fn title(area: &Area<'_>, file: &File<'_>) -> (String, Range<usize>) {
    let range = area.heading.range.clone();
    let slice = &file.text()[range.clone()];
    let inner = slice.trim_start_matches('#').trim_start();
    let start = range.start + (slice.len() - inner.len());
    let inner = inner.trim_end();
    // `## Title ##` closes the heading; `## C#` does not.
    let bare = inner.trim_end_matches('#');
    let inner = if bare.len() < inner.len() && (bare.is_empty() || bare.ends_with([' ', '\t'])) {
        bare.trim_end()
    } else {
        inner
    };
    (joined(inner), start..start + inner.len())
}
