//! A rule's page as data: prose, and what is rejected and mended.
//!
//! ````text
//! # P201 empty-plan
//!
//! **What it finds.** …
//!
//! **Why it matters.** …
//!
//! ## Rejected
//!
//! ```json                  the plan (any kind of document); `json answer` is a model's answer
//! ```json catalog          a catalog file; without one the sample catalog of `pages.rs` is used
//! ```json policy           a policy file
//! ```json inputs           the inputs of a run
//! ```text                  every finding, one `CODE pointer: message` a line
//!
//! ## Mended
//!
//! ```json                  as above; a block that is left out is taken over from Rejected
//! ````

use std::collections::BTreeMap;

/// One page, parsed.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) prose: String,
    pub(crate) rejected: BTreeMap<String, String>,
    pub(crate) mended: BTreeMap<String, String>,
}

/// Parses a page.
pub(crate) fn parse(text: &str) -> Page {
    let mut page = Page {
        title: String::new(),
        prose: String::new(),
        rejected: BTreeMap::new(),
        mended: BTreeMap::new(),
    };
    let mut section = "";
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("# ") {
            title.clone_into(&mut page.title);
        } else if let Some(heading) = line.strip_prefix("## ") {
            section = heading;
        } else if let Some(kind) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let blocks = match section {
                "Rejected" => &mut page.rejected,
                "Mended" => &mut page.mended,
                _ => panic!(
                    "a block outside `Rejected` and `Mended` in `{}`",
                    page.title
                ),
            };
            let former = blocks.insert(kind.to_owned(), body.join("\n"));
            assert!(former.is_none(), "two `{kind}` blocks in `{}`", page.title);
        } else if section.is_empty() {
            page.prose.push_str(line);
            page.prose.push('\n');
        }
    }
    for (kind, body) in &page.rejected {
        if kind != "text" && !page.mended.contains_key(kind) {
            page.mended.insert(kind.clone(), body.clone());
        }
    }
    page
}
