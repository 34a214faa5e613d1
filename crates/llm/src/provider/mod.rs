//! The providers: where they answer, what they speak, and how their key is called.

mod capability;

pub(crate) use capability::{Rung, first_rung, takes_images, tells_schema};

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// `POST {base}/chat/completions`.
    OpenAi,
    /// `POST {base}/v1/messages`.
    Anthropic,
    /// `POST {base}/v1beta/models/{model}:generateContent`.
    Gemini,
    /// `POST {base}/api/chat`.
    Ollama,
}

/// A provider we know by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    OpenAi,
    Azure,
    Anthropic,
    Gemini,
    OpenRouter,
    DeepSeek,
    Xai,
    Moonshot,
    Zai,
    DashScope,
    MiniMax,
    Ollama,
}

/// What is to be known about a provider.
struct Row {
    name: &'static str,
    aliases: &'static [&'static str],
    wire: Wire,
    /// Where it answers; empty where only the operator knows.
    base: &'static str,
    /// Environment variables that hold its key, in order; the program's entry point reads them.
    key_variables: &'static [&'static str],
    /// The model of a role for which the operator chose none.
    default_model: Option<&'static str>,
}

impl Provider {
    /// In the order in which a provider with a key is chosen when no model is configured.
    pub const ALL: [Self; 12] = [
        Self::OpenAi,
        Self::Azure,
        Self::Anthropic,
        Self::Gemini,
        Self::OpenRouter,
        Self::DeepSeek,
        Self::Xai,
        Self::Moonshot,
        Self::Zai,
        Self::DashScope,
        Self::MiniMax,
        Self::Ollama,
    ];

    pub fn parse(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        Self::ALL.into_iter().find(|provider| {
            let row = provider.row();
            row.name == name || row.aliases.contains(&name.as_str())
        })
    }

    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    pub fn wire(self) -> Wire {
        self.row().wire
    }

    pub fn default_base(self) -> Option<&'static str> {
        Some(self.row().base).filter(|base| !base.is_empty())
    }

    /// Environment variables that hold its key; the crate names them and never reads them.
    pub fn key_variables(self) -> &'static [&'static str] {
        self.row().key_variables
    }

    pub fn default_model(self) -> Option<&'static str> {
        self.row().default_model
    }

    /// Whether it answers nobody without a key.
    pub fn needs_key(self) -> bool {
        self != Self::Ollama
    }

    fn row(self) -> Row {
        let openai = |name, base, key_variables, default_model| Row {
            name,
            aliases: &[],
            wire: Wire::OpenAi,
            base,
            key_variables,
            default_model: Some(default_model),
        };
        match self {
            Self::OpenAi => openai("openai", "https://api.openai.com/v1", &["OPENAI_API_KEY"], "gpt-5-mini"),
            Self::Azure => Row {
                aliases: &["azure_openai", "azure-openai"],
                default_model: None,
                ..openai("azure", "", &["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"], "")
            },
            Self::Anthropic => Row {
                aliases: &["claude"],
                wire: Wire::Anthropic,
                ..openai("anthropic", "https://api.anthropic.com", &["ANTHROPIC_API_KEY"], "claude-haiku-4-5")
            },
            Self::Gemini => Row {
                aliases: &["google"],
                wire: Wire::Gemini,
                ..openai(
                    "gemini",
                    "https://generativelanguage.googleapis.com",
                    &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
                    "gemini-3.6-flash",
                )
            },
            Self::OpenRouter => openai(
                "openrouter",
                "https://openrouter.ai/api/v1",
                &["OPENROUTER_API_KEY"],
                "openai/gpt-5-mini",
            ),
            Self::DeepSeek => {
                openai("deepseek", "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"], "deepseek-chat")
            }
            Self::Xai => Row {
                aliases: &["grok"],
                ..openai("xai", "https://api.x.ai/v1", &["XAI_API_KEY"], "grok-4.5")
            },
            Self::Moonshot => Row {
                aliases: &["kimi"],
                ..openai("moonshot", "https://api.moonshot.ai/v1", &["MOONSHOT_API_KEY"], "kimi-k2.5")
            },
            Self::Zai => Row {
                aliases: &["z.ai", "zhipu"],
                ..openai("zai", "https://api.z.ai/api/paas/v4", &["ZAI_API_KEY"], "glm-4.6")
            },
            Self::DashScope => Row {
                aliases: &["qwen", "alibaba"],
                ..openai(
                    "dashscope",
                    "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
                    &["DASHSCOPE_API_KEY"],
                    "qwen-plus",
                )
            },
            Self::MiniMax => {
                openai("minimax", "https://api.minimax.io/v1", &["MINIMAX_API_KEY"], "MiniMax-M2")
            }
            Self::Ollama => Row {
                wire: Wire::Ollama,
                default_model: None,
                ..openai("ollama", "http://localhost:11434", &["OLLAMA_API_KEY"], "")
            },
        }
    }
}
