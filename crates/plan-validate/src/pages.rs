//! The pages of the rules: what each finds, why it matters, an example, and the mended plan.

#[doc = include_str!("../rules/P101-invalid-json.md")]
pub mod p101 {}
#[doc = include_str!("../rules/P102-duplicate-key.md")]
pub mod p102 {}
#[doc = include_str!("../rules/P103-unknown-field.md")]
pub mod p103 {}
#[doc = include_str!("../rules/P104-wrong-shape.md")]
pub mod p104 {}
#[doc = include_str!("../rules/P105-inexact-number.md")]
pub mod p105 {}
#[doc = include_str!("../rules/P106-document-too-large.md")]
pub mod p106 {}
#[doc = include_str!("../rules/P107-invalid-id.md")]
pub mod p107 {}
#[doc = include_str!("../rules/P108-misleading-text.md")]
pub mod p108 {}
#[doc = include_str!("../rules/P109-prose-around-document.md")]
pub mod p109 {}
#[doc = include_str!("../rules/P110-environment-reference.md")]
pub mod p110 {}
#[doc = include_str!("../rules/P201-empty-plan.md")]
pub mod p201 {}
#[doc = include_str!("../rules/P202-duplicate-name.md")]
pub mod p202 {}
#[doc = include_str!("../rules/P203-dependency-cycle.md")]
pub mod p203 {}
#[doc = include_str!("../rules/P204-unknown-dependency.md")]
pub mod p204 {}
#[doc = include_str!("../rules/P205-self-dependency.md")]
pub mod p205 {}
#[doc = include_str!("../rules/P206-repeated-dependency.md")]
pub mod p206 {}
#[doc = include_str!("../rules/P207-unreachable-step.md")]
pub mod p207 {}
#[doc = include_str!("../rules/P208-unused-output.md")]
pub mod p208 {}
#[doc = include_str!("../rules/P209-invalid-edge-value.md")]
pub mod p209 {}
#[doc = include_str!("../rules/P210-unused-input.md")]
pub mod p210 {}
#[doc = include_str!("../rules/P301-unknown-tool.md")]
pub mod p301 {}
#[doc = include_str!("../rules/P302-tool-not-permitted.md")]
pub mod p302 {}
#[doc = include_str!("../rules/P303-missing-argument.md")]
pub mod p303 {}
#[doc = include_str!("../rules/P304-unknown-argument.md")]
pub mod p304 {}
#[doc = include_str!("../rules/P305-argument-mismatch.md")]
pub mod p305 {}
#[doc = include_str!("../rules/P306-optional-into-required.md")]
pub mod p306 {}
#[doc = include_str!("../rules/P307-unsupported-schema.md")]
pub mod p307 {}
#[doc = include_str!("../rules/P308-unknown-model.md")]
pub mod p308 {}
#[doc = include_str!("../rules/P309-unknown-language.md")]
pub mod p309 {}
#[doc = include_str!("../rules/P310-path-kind-mismatch.md")]
pub mod p310 {}
#[doc = include_str!("../rules/P311-kind-mismatch.md")]
pub mod p311 {}
#[doc = include_str!("../rules/P401-malformed-reference.md")]
pub mod p401 {}
#[doc = include_str!("../rules/P402-unknown-reference.md")]
pub mod p402 {}
#[doc = include_str!("../rules/P403-reference-not-upstream.md")]
pub mod p403 {}
#[doc = include_str!("../rules/P404-reference-may-be-skipped.md")]
pub mod p404 {}
#[doc = include_str!("../rules/P405-unknown-path.md")]
pub mod p405 {}
#[doc = include_str!("../rules/P406-looks-like-reference.md")]
pub mod p406 {}
#[doc = include_str!("../rules/P407-reference-in-code.md")]
pub mod p407 {}
#[doc = include_str!("../rules/P408-reference-in-key.md")]
pub mod p408 {}
#[doc = include_str!("../rules/P409-invalid-input-declaration.md")]
pub mod p409 {}
#[doc = include_str!("../rules/P410-invalid-plan-output.md")]
pub mod p410 {}
#[doc = include_str!("../rules/P411-interpolated-structure.md")]
pub mod p411 {}
#[doc = include_str!("../rules/P412-foreign-reference.md")]
pub mod p412 {}
#[doc = include_str!("../rules/P413-invalid-output-declaration.md")]
pub mod p413 {}
#[doc = include_str!("../rules/P501-invalid-expression.md")]
pub mod p501 {}
#[doc = include_str!("../rules/P502-impossible-comparison.md")]
pub mod p502 {}
#[doc = include_str!("../rules/P503-invalid-branch.md")]
pub mod p503 {}
#[doc = include_str!("../rules/P504-invalid-fan-out.md")]
pub mod p504 {}
#[doc = include_str!("../rules/P505-invalid-fan-in.md")]
pub mod p505 {}
#[doc = include_str!("../rules/P506-human-in-fan-out.md")]
pub mod p506 {}
#[doc = include_str!("../rules/P507-invalid-human-step.md")]
pub mod p507 {}
#[doc = include_str!("../rules/P509-invalid-step-config.md")]
pub mod p509 {}
#[doc = include_str!("../rules/P510-invalid-retry.md")]
pub mod p510 {}
#[doc = include_str!("../rules/P511-join-never-satisfied.md")]
pub mod p511 {}
#[doc = include_str!("../rules/P512-exclusive-join.md")]
pub mod p512 {}
#[doc = include_str!("../rules/P601-working-directory-escapes.md")]
pub mod p601 {}
#[doc = include_str!("../rules/P602-missing-root.md")]
pub mod p602 {}
#[doc = include_str!("../rules/P603-unapproved-effect.md")]
pub mod p603 {}
#[doc = include_str!("../rules/P604-untrusted-into-sensitive.md")]
pub mod p604 {}
#[doc = include_str!("../rules/P605-retry-repeats-effect.md")]
pub mod p605 {}
#[doc = include_str!("../rules/P606-secret-in-wrong-place.md")]
pub mod p606 {}
#[doc = include_str!("../rules/P607-argument-outside-policy.md")]
pub mod p607 {}
#[doc = include_str!("../rules/P608-over-wide-grant.md")]
pub mod p608 {}
#[doc = include_str!("../rules/P609-agent-scope.md")]
pub mod p609 {}
#[doc = include_str!("../rules/P610-code-injection.md")]
pub mod p610 {}
#[doc = include_str!("../rules/P611-blind-approval.md")]
pub mod p611 {}
#[doc = include_str!("../rules/P612-unordered-shared-resource.md")]
pub mod p612 {}
#[doc = include_str!("../rules/P613-repeated-call.md")]
pub mod p613 {}
#[doc = include_str!("../rules/P701-limit-exceeded.md")]
pub mod p701 {}
#[doc = include_str!("../rules/P702-unbounded-fan-out.md")]
pub mod p702 {}
#[doc = include_str!("../rules/P703-missing-timeout.md")]
pub mod p703 {}
#[doc = include_str!("../rules/P901-invalid-catalog.md")]
pub mod p901 {}
#[doc = include_str!("../rules/P902-invalid-policy.md")]
pub mod p902 {}
#[doc = include_str!("../rules/P903-unknown-input.md")]
pub mod p903 {}
#[doc = include_str!("../rules/P904-missing-input.md")]
pub mod p904 {}
#[doc = include_str!("../rules/P905-wrong-input.md")]
pub mod p905 {}
