//! The rules, from their pages and from their rows of code.

use std::path::Path;

use crate::workspace::{files, read};

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) code: String,
    pub(super) name: String,
    /// `error`, `warning` or `note`.
    pub(super) severity: String,
    pub(super) is_on: bool,
    /// The first sentence of what it finds.
    pub(super) finds: String,
    /// The file name of its page.
    pub(super) page: String,
}

/// Every rule, in the order of the codes.
pub(super) fn read_all(
    pages: &[(String, String)],
    sources: &[String],
) -> Result<Vec<Rule>, String> {
    pages
        .iter()
        .map(|(page, text)| rule(page, text, sources))
        .collect()
}

pub(super) fn read_workspace(root: &Path) -> Result<Vec<Rule>, String> {
    let validate = root.join("crates/plan-validate");
    let mut pages = Vec::new();
    for path in files(&validate.join("rules"), "md") {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        pages.push((name, read(&path)?));
    }
    let sources: Result<Vec<String>, String> = files(&validate.join("src/rules"), "rs")
        .iter()
        .map(|path| read(path))
        .collect();
    read_all(&pages, &sources?)
}

fn rule(page: &str, text: &str, sources: &[String]) -> Result<Rule, String> {
    let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
    let (code, name) = title
        .and_then(|title| title.split_once(' '))
        .ok_or_else(|| format!("{page} has no title"))?;
    let finds = text.split_once("**What it finds.**").map(|(_, rest)| rest);
    let finds = finds
        .and_then(|rest| rest.split("\n\n").next())
        .ok_or_else(|| format!("{page} does not say what it finds"))?;
    let row = sources.iter().find_map(|source| {
        let (_, row) = source.split_once("Rule::new(")?;
        row.trim_start()
            .strip_prefix(&format!("\"{code}\""))
            .map(|row| row.split(';').next().unwrap_or(row))
    });
    let row = row.ok_or_else(|| format!("{code} has a page and no code"))?;
    let severity = row.split_once("Severity::").map(|(_, rest)| rest);
    let severity = severity
        .and_then(|rest| rest.split(|c: char| !c.is_alphabetic()).next())
        .ok_or_else(|| format!("{code} has no severity"))?;
    Ok(Rule {
        code: code.to_owned(),
        name: name.to_owned(),
        severity: severity.to_lowercase(),
        is_on: !row.contains(".off()"),
        finds: sentence(finds),
        page: page.to_owned(),
    })
}

/// The first sentence of a paragraph, on one line.
fn sentence(paragraph: &str) -> String {
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.split_inclusive(". ").next().unwrap_or_default();
    line.trim_end_matches([' ', '.']).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_its_page_and_its_row() {
        let page = "# P900 odd-thing\n\n**What it finds.** A thing that\nis odd. And more.\n\n**Why it matters.** It is.\n";
        let source = "Rule::new(\n    \"P900\",\n    \"odd-thing\",\n    Severity::Note,\n    Check::Plan(check),\n)\n.off();\n";
        let rules = read_all(
            &[("P900-odd-thing.md".to_owned(), page.to_owned())],
            &[source.to_owned()],
        )
        .unwrap();
        let rule = Rule {
            code: "P900".to_owned(),
            name: "odd-thing".to_owned(),
            severity: "note".to_owned(),
            is_on: false,
            finds: "A thing that is odd".to_owned(),
            page: "P900-odd-thing.md".to_owned(),
        };
        assert_eq!(rules, [rule]);
    }

    #[test]
    fn a_page_without_a_rule_is_said() {
        let page = "# P900 odd-thing\n\n**What it finds.** A thing.\n";
        assert!(read_all(&[("P900-odd-thing.md".to_owned(), page.to_owned())], &[]).is_err());
    }
}
