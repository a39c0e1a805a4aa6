//! What a host can do: its tools, models, languages and agents.
//!
//! Everything a plan is checked against is made ready here, once: schemas are
//! compiled, digests are taken, and a tool whose schema cannot be used is
//! quarantined, while the others work.

mod agent;
mod arguments;
mod builder;
mod digest;
mod document;
mod extend;
mod language;
mod mark;
mod model;
mod path_kind;
mod schema;
mod tool;
mod twins;
mod unfold;

use std::collections::BTreeMap;
use std::sync::Arc;

use plan_model::document::Document;
use plan_model::{AgentName, IdError, LanguageName, ModelName, ToolName, ToolSpec};

use crate::finding::Finding;

pub use agent::{AgentKind, AgentSpec};
pub use builder::CatalogBuilder;
pub use language::LanguageSpec;
pub use model::ModelSpec;
pub use schema::{CompiledSchema, Quote, SchemaFault, Violation};
pub use tool::CatalogTool;

pub(crate) use arguments::Argument;
pub(crate) use mark::Mark;

pub(crate) use schema::ViolationKind;

/// The tools, models, languages and agents that plans may name.
///
/// Cheap to clone. Validation and execution are given the same one, so that
/// they cannot drift apart.
#[derive(Debug, Clone, Default)]
pub struct ToolCatalog {
    tools: BTreeMap<ToolName, Arc<CatalogTool>>,
    models: Option<BTreeMap<ModelName, ModelSpec>>,
    languages: Arc<BTreeMap<LanguageName, LanguageSpec>>,
    agents: BTreeMap<AgentName, AgentSpec>,
}

/// A catalog that was refused, with every finding.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", crate::check::summary("the catalog is refused", .findings, 0))]
pub struct CatalogRejected {
    findings: Vec<Finding>,
}

impl CatalogRejected {
    pub(crate) fn new(findings: Vec<Finding>) -> Self {
        Self { findings }
    }

    /// Every finding, in the order of the document.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl ToolCatalog {
    /// A catalog to add tools, models, languages and agents to. The built-in languages are in it.
    pub fn builder() -> CatalogBuilder {
        CatalogBuilder::default()
    }

    /// Tools of which only the names are known: any arguments, effects assumed the careful way.
    ///
    /// # Errors
    /// A text that is no tool name.
    pub fn from_names<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> Result<Self, IdError> {
        let mut builder = Self::builder();
        for name in names {
            builder = builder.tool(ToolSpec::named(ToolName::new(name)?));
        }
        Ok(builder.build_lenient().0)
    }

    /// Reads a catalog file that has been parsed.
    ///
    /// With `planwright: 1` at its top, tools are allowlisted unless the file says otherwise; without
    /// it they are not.
    ///
    /// # Errors
    /// Every finding, all of rule P901.
    pub fn from_document(document: &Document) -> Result<Self, CatalogRejected> {
        document::read(document, &[])
    }

    /// As [`ToolCatalog::from_document`], where a `config` may be of further kinds than those of the format, which the
    /// host runs itself. What is in a `config` of such a kind is for its adapter to check.
    ///
    /// # Errors
    /// As for [`ToolCatalog::from_document`].
    pub fn from_document_with_kinds(
        document: &Document,
        kinds: &[&str],
    ) -> Result<Self, CatalogRejected> {
        document::read(document, kinds)
    }

    /// The tools that a bundle was exported with; an empty catalog where it holds none.
    ///
    /// They are not allowlisted unless the bundle says so.
    ///
    /// # Errors
    /// Every finding, all of rule P901.
    pub fn from_bundle(bundle: &Document) -> Result<Self, CatalogRejected> {
        document::read_bundle(bundle)
    }

    /// The tools, in the order of their names.
    pub fn tools(&self) -> impl Iterator<Item = &CatalogTool> {
        self.tools.values().map(Arc::as_ref)
    }

    /// The tool of this name, byte for byte.
    pub fn tool(&self, name: &ToolName) -> Option<&CatalogTool> {
        self.tools.get(name).map(Arc::as_ref)
    }

    pub(crate) fn shared_tool(&self, name: &ToolName) -> Option<&Arc<CatalogTool>> {
        self.tools.get(name)
    }

    /// The models, in the order of their names; `None` where any name is taken.
    pub fn models(&self) -> Option<&BTreeMap<ModelName, ModelSpec>> {
        self.models.as_ref()
    }

    /// The languages, aliases among them, in the order of their names.
    pub fn languages(&self) -> &BTreeMap<LanguageName, LanguageSpec> {
        &self.languages
    }

    /// The agents, in the order of their names.
    pub fn agents(&self) -> &BTreeMap<AgentName, AgentSpec> {
        &self.agents
    }
}
