//! The closed sets of the format: each value has one word.

use std::fmt;

use crate::{
    FailurePolicy, InputKind, Join, OnError, OnItemError, OnReject, PlanStatus, RetryClass,
    StepKind, ValueType,
};

/// A value of a closed set, as documents write it.
pub(crate) trait Word: Copy + 'static {
    /// Every value with its word, in the order of the documentation.
    const WORDS: &'static [(&'static str, Self)];

    /// The word of this value.
    fn word(self) -> &'static str;
}

macro_rules! words {
    ($($name:ident { $($word:literal $variant:ident),+ $(,)? })+) => {$(
        impl Word for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),+];

            fn word(self) -> &'static str {
                self.as_str()
            }
        }

        impl $name {
            /// As documents write it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        /// As documents write it.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )+};
}

words! {
    ValueType {
        "string" String,
        "number" Number,
        "integer" Integer,
        "boolean" Boolean,
        "object" Object,
        "array" Array,
        "any" Any,
    }
    InputKind {
        "value" Value,
        "file_path" FilePath,
        "output_file_path" OutputFilePath,
        "directory_path" DirectoryPath,
    }
    PlanStatus { "draft" Draft, "published" Published }
    FailurePolicy { "stop" Stop, "finish_independent" FinishIndependent }
    Join { "all" All, "any" Any, "settled" Settled }
    OnError { "fail" Fail, "continue" Continue }
    OnReject { "cancel" Cancel, "continue" Continue }
    OnItemError { "fail" Fail, "collect" Collect }
    RetryClass {
        "transient" Transient,
        "rate_limited" RateLimited,
        "timeout" Timeout,
        "auth" Auth,
        "permission" Permission,
        "not_found" NotFound,
        "endpoint_down" EndpointDown,
        "exit_status" ExitStatus,
        "output_contract" OutputContract,
        "model_refused" ModelRefused,
        "model_truncated" ModelTruncated,
    }
}

impl Word for StepKind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("TOOL_CALL", Self::ToolCall),
        ("CODE_CALL", Self::CodeCall),
        ("PROMPT_CALL", Self::PromptCall),
        ("AGENT_CALL", Self::AgentCall),
        ("HUMAN_INTERACTION", Self::HumanInteraction),
        ("CONDITION", Self::Condition),
        ("FAN_OUT", Self::FanOut),
        ("FAN_IN", Self::FanIn),
    ];

    fn word(self) -> &'static str {
        self.as_str()
    }
}
