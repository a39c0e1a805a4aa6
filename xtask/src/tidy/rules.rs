//! Every rule is a file and a page, of the same name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::Untidy;

pub(super) fn check(root: &Path) -> Vec<Untidy> {
    let validate = root.join("crates/plan-validate");
    let files = stems(&validate.join("src/rules"), "rs");
    let pages = stems(&validate.join("rules"), "md");
    if files.is_empty() {
        return vec![Untidy::new(
            "crates/plan-validate/src/rules",
            "holds no rule",
        )];
    }
    examine(&files, &pages)
}

fn examine(files: &BTreeSet<String>, pages: &BTreeSet<String>) -> Vec<Untidy> {
    let pageless = files
        .difference(pages)
        .map(|rule| Untidy::new(rule, "is a rule without a page"));
    let ruleless = pages
        .difference(files)
        .map(|page| Untidy::new(page, "is a page without a rule"));
    pageless.chain(ruleless).collect()
}

/// The names of files in the form `p203_dependency_cycle`, whichever spelling the folder uses.
fn stems(folder: &Path, extension: &str) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return BTreeSet::new();
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .filter_map(|path| {
            path.file_stem()
                .map(|stem| stem.to_string_lossy().to_lowercase().replace('-', "_"))
        })
        .filter(|stem| {
            stem.strip_prefix('p')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_without_a_page_and_a_page_without_a_rule_are_untidy() {
        let files = BTreeSet::from([
            "p201_empty_plan".to_owned(),
            "p202_duplicate_name".to_owned(),
        ]);
        let pages = BTreeSet::from([
            "p201_empty_plan".to_owned(),
            "p203_dependency_cycle".to_owned(),
        ]);
        assert_eq!(
            examine(&files, &pages),
            [
                Untidy::new("p202_duplicate_name", "is a rule without a page"),
                Untidy::new("p203_dependency_cycle", "is a page without a rule"),
            ]
        );
    }
}
