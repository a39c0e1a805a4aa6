//! Any bytes: nothing panics, every place is in the text, and what is read without a problem is written and read
//! again to the same plan.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plan_model::document::{
    Document, DocumentKind, EdgePolicy, NameLength, ReadOptions, extract_plan, parse, read,
};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (span, _) = extract_plan(&text);
    assert!(text.get(span.start..span.end).is_some());

    let mut options = ReadOptions::default();
    let parsed = parse(bytes, &options.limits);
    let is_whole = parsed.problems.is_empty();
    let Some(document) = parsed.document else {
        assert!(!is_whole);
        return;
    };
    for (kind, edges) in [
        (DocumentKind::Auto, EdgePolicy::Position),
        (DocumentKind::Plan, EdgePolicy::Position),
        (DocumentKind::Bundle, EdgePolicy::Position),
        (DocumentKind::Planner, EdgePolicy::DataFlow),
    ] {
        (options.kind, options.edges) = (kind, edges);
        check(&document, &options, is_whole);
    }
});

fn check(document: &Document, options: &ReadOptions, is_whole: bool) {
    let first = read(document, options);
    for problem in &first.problems {
        assert!(
            document
                .text()
                .get(problem.span.start..problem.span.end)
                .is_some()
        );
        document.position_of(problem.span.start);
        document.span_of(&problem.pointer);
    }
    let Some(plan) = first.plan else { return };
    // notes are problems too, so a plan without any is a plan that was read in full
    if !is_whole || !first.problems.is_empty() {
        return;
    }
    let mut again = ReadOptions::default();
    again.kind = DocumentKind::Plan;
    again.names = NameLength::Imported;
    let written = Document::from_value(&plan.to_json(), &again.limits);
    // what the format adds around a planner's step may cross the limit of depth
    let Some(written) = written.document else {
        return;
    };
    let second = read(&written, &again);
    // a planner's list may depend on names that are no ids
    if let Some(same) = second.plan.filter(|_| second.problems.is_empty()) {
        assert_eq!(same.digest(), plan.digest());
    }
}
