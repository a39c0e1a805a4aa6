//! The table of rules: one row, one file and one page for each.

mod call;
mod edge;
mod foreign;
mod further;
mod known;
mod literal_text;
mod name;
mod p101_invalid_json;
mod p102_duplicate_key;
mod p103_unknown_field;
mod p104_wrong_shape;
mod p105_inexact_number;
mod p106_document_too_large;
mod p107_invalid_id;
mod p108_misleading_text;
mod p109_prose_around_document;
mod p110_environment_reference;
mod p201_empty_plan;
mod p202_duplicate_name;
mod p203_dependency_cycle;
mod p204_unknown_dependency;
mod p205_self_dependency;
mod p206_repeated_dependency;
mod p207_unreachable_step;
mod p208_unused_output;
mod p209_invalid_edge_value;
mod p210_unused_input;
mod p301_unknown_tool;
mod p302_tool_not_permitted;
mod p303_missing_argument;
mod p304_unknown_argument;
mod p305_argument_mismatch;
mod p306_optional_into_required;
mod p307_unsupported_schema;
mod p308_unknown_model;
mod p309_unknown_language;
mod p310_path_kind_mismatch;
mod p311_kind_mismatch;
mod p401_malformed_reference;
mod p402_unknown_reference;
mod p403_reference_not_upstream;
mod p404_reference_may_be_skipped;
mod p405_unknown_path;
mod p406_looks_like_reference;
mod p407_reference_in_code;
mod p408_reference_in_key;
mod p409_invalid_input_declaration;
mod p410_invalid_plan_output;
mod p411_interpolated_structure;
mod p412_foreign_reference;
mod p413_invalid_output_declaration;
mod p501_invalid_expression;
mod p502_impossible_comparison;
mod p503_invalid_branch;
mod p504_invalid_fan_out;
mod p505_invalid_fan_in;
mod p506_human_in_fan_out;
mod p507_invalid_human_step;
mod p509_invalid_step_config;
mod p510_invalid_retry;
mod p511_join_never_satisfied;
mod p512_exclusive_join;
mod p601_working_directory_escapes;
mod p602_missing_root;
mod p603_unapproved_effect;
mod p604_untrusted_into_sensitive;
mod p605_retry_repeats_effect;
mod p606_secret_in_wrong_place;
mod p607_argument_outside_policy;
mod p608_over_wide_grant;
mod p609_agent_scope;
mod p610_code_injection;
mod p611_blind_approval;
mod p612_unordered_shared_resource;
mod p613_repeated_call;
mod p701_limit_exceeded;
mod p702_unbounded_fan_out;
mod p703_missing_timeout;
mod p901_invalid_catalog;
mod p902_invalid_policy;
mod p903_unknown_input;
mod p904_missing_input;
mod p905_wrong_input;
mod place;
mod reserved;
mod scope;
mod source;
mod unknown_step;
mod untrusted;

use plan_model::document::Problem;

use crate::finding::Finding;
use crate::rule::{Check, Rule};

pub use reserved::ReservedCode;

pub(crate) use p110_environment_reference::with_edit;
pub(crate) use p902_invalid_policy::against as policy_against;

/// What is wrong with a catalog.
pub(crate) static INVALID_CATALOG: Rule = p901_invalid_catalog::RULE;
/// What is wrong with a policy.
pub(crate) static INVALID_POLICY: Rule = p902_invalid_policy::RULE;
/// What is wrong with the inputs of a run.
pub(crate) static UNKNOWN_INPUT: Rule = p903_unknown_input::RULE;
pub(crate) static MISSING_INPUT: Rule = p904_missing_input::RULE;
pub(crate) static WRONG_INPUT: Rule = p905_wrong_input::RULE;

/// Every rule, in the order of their codes.
static RULES: &[Rule] = &[
    p101_invalid_json::RULE,
    p102_duplicate_key::RULE,
    p103_unknown_field::RULE,
    p104_wrong_shape::RULE,
    p105_inexact_number::RULE,
    p106_document_too_large::RULE,
    p107_invalid_id::RULE,
    p108_misleading_text::RULE,
    p109_prose_around_document::RULE,
    p110_environment_reference::RULE,
    p201_empty_plan::RULE,
    p202_duplicate_name::RULE,
    p203_dependency_cycle::RULE,
    p204_unknown_dependency::RULE,
    p205_self_dependency::RULE,
    p206_repeated_dependency::RULE,
    p207_unreachable_step::RULE,
    p208_unused_output::RULE,
    p209_invalid_edge_value::RULE,
    p210_unused_input::RULE,
    p301_unknown_tool::RULE,
    p302_tool_not_permitted::RULE,
    p303_missing_argument::RULE,
    p304_unknown_argument::RULE,
    p305_argument_mismatch::RULE,
    p306_optional_into_required::RULE,
    p307_unsupported_schema::RULE,
    p308_unknown_model::RULE,
    p309_unknown_language::RULE,
    p310_path_kind_mismatch::RULE,
    p311_kind_mismatch::RULE,
    p401_malformed_reference::RULE,
    p402_unknown_reference::RULE,
    p403_reference_not_upstream::RULE,
    p404_reference_may_be_skipped::RULE,
    p405_unknown_path::RULE,
    p406_looks_like_reference::RULE,
    p407_reference_in_code::RULE,
    p408_reference_in_key::RULE,
    p409_invalid_input_declaration::RULE,
    p410_invalid_plan_output::RULE,
    p411_interpolated_structure::RULE,
    p412_foreign_reference::RULE,
    p413_invalid_output_declaration::RULE,
    p501_invalid_expression::RULE,
    p502_impossible_comparison::RULE,
    p503_invalid_branch::RULE,
    p504_invalid_fan_out::RULE,
    p505_invalid_fan_in::RULE,
    p506_human_in_fan_out::RULE,
    p507_invalid_human_step::RULE,
    p509_invalid_step_config::RULE,
    p510_invalid_retry::RULE,
    p511_join_never_satisfied::RULE,
    p512_exclusive_join::RULE,
    p601_working_directory_escapes::RULE,
    p602_missing_root::RULE,
    p603_unapproved_effect::RULE,
    p604_untrusted_into_sensitive::RULE,
    p605_retry_repeats_effect::RULE,
    p606_secret_in_wrong_place::RULE,
    p607_argument_outside_policy::RULE,
    p608_over_wide_grant::RULE,
    p609_agent_scope::RULE,
    p610_code_injection::RULE,
    p611_blind_approval::RULE,
    p612_unordered_shared_resource::RULE,
    p613_repeated_call::RULE,
    p701_limit_exceeded::RULE,
    p702_unbounded_fan_out::RULE,
    p703_missing_timeout::RULE,
    p901_invalid_catalog::RULE,
    p902_invalid_policy::RULE,
    p903_unknown_input::RULE,
    p904_missing_input::RULE,
    p905_wrong_input::RULE,
];

/// Every rule, in the order of their codes.
pub fn rules() -> &'static [Rule] {
    RULES
}

/// Whether a name holds what cannot be seen in it, so that no plan may use it (P108).
pub(crate) fn is_misleading(name: &str) -> bool {
    p108_misleading_text::is_misleading(name)
}

/// The finding for a problem of the reader.
pub(crate) fn of_problem(problem: &Problem) -> Option<Finding> {
    RULES.iter().find_map(|rule| told_by(&rule.check, problem))
}

fn told_by(check: &Check, problem: &Problem) -> Option<Finding> {
    match check {
        Check::Problem(check) => check(problem),
        Check::Several(checks) => checks.iter().find_map(|check| told_by(check, problem)),
        Check::Plan(_) | Check::Step(_) | Check::Elsewhere => None,
    }
}

/// Codes that are kept for rules which are not here yet, in their order.
pub fn reserved_codes() -> &'static [ReservedCode] {
    reserved::RESERVED
}

/// The rule of a code or of a name, in any case: `P203`, `dependency-cycle`.
pub fn rule(code_or_name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| {
        rule.code.as_str().eq_ignore_ascii_case(code_or_name)
            || rule.name.eq_ignore_ascii_case(code_or_name)
    })
}

/// The reserved code of this code or name, in any case.
pub(crate) fn reserved(code_or_name: &str) -> Option<&'static ReservedCode> {
    reserved::RESERVED.iter().find(|reserved| {
        reserved.code.as_str().eq_ignore_ascii_case(code_or_name)
            || reserved.name.eq_ignore_ascii_case(code_or_name)
    })
}

/// The page of the rule of a code or a name: what it finds, why, and an example. A reserved code has
/// a short one.
///
/// ```
/// assert!(plan_validate::explain("P201").is_some_and(|page| page.contains("no steps")));
/// assert!(plan_validate::explain("P801").is_some_and(|page| page.contains("comes with repair")));
/// assert!(plan_validate::explain("P000").is_none());
/// ```
pub fn explain(code_or_name: &str) -> Option<&'static str> {
    let page = rule(code_or_name).map(|rule| rule.page);
    page.or_else(|| reserved(code_or_name).map(|reserved| reserved.page))
}
