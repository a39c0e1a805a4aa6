//! `planwright explain`: the page of a rule.

use planwright::validate::{explain as page, rules};

use crate::args::Explain;
use crate::exit::{Exit, Halt};
use crate::output;

/// Prints one page.
pub(super) fn explain(arguments: &Explain) -> Result<Exit, Halt> {
    let asked = arguments.rule.trim();
    let rule = rules().iter().find(|rule| {
        rule.code.as_str().eq_ignore_ascii_case(asked) || rule.name.eq_ignore_ascii_case(asked)
    });
    let Some(page) = rule.and_then(|rule| page(rule.code.as_str())) else {
        let codes: Vec<&str> = rules().iter().map(|rule| rule.code.as_str()).collect();
        return Err(Halt::usage(format!("there is no rule `{asked}`"))
            .help(format!("the rules are {}", codes.join(", "))));
    };
    output::print(page);
    Ok(Exit::Fine)
}
