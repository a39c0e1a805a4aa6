//! `planwright explain`: the page of a rule.

use planwright::validate::{explain as page, rules};

use crate::args::Explain;
use crate::exit::{Exit, Halt};
use crate::output;

/// Prints one page.
pub(super) fn explain(arguments: &Explain) -> Result<Exit, Halt> {
    let asked = arguments.rule.trim();
    let Some(page) = page(asked) else {
        let codes: Vec<&str> = rules().iter().map(|rule| rule.code.as_str()).collect();
        return Err(Halt::usage(format!("there is no rule `{asked}`"))
            .help(format!("the rules are {}", codes.join(", "))));
    };
    output::print(page);
    Ok(Exit::Fine)
}
