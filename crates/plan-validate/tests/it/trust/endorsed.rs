//! What an approval endorses.

use super::*;

#[test]
fn an_approval_endorses_the_value_that_it_shows() {
    let sent = |to: &str| after(send(to), &["ok"]);
    let steps = |shows: &str, to: &str| from(&[fetch(), ask("ok", shows), sent(to)]);
    let page = "${step.fetch.page}";
    assert_eq!(steps("Send to ${step.fetch.page}?", page), "");
    assert_eq!(
        steps("Send to ${step.fetch.page}?", "${step.fetch.page.mail}"),
        ""
    );
    assert_eq!(steps("Send ${step.fetch}?", page), "");
    // another value, or a part of it alone, is not the value
    for shows in [
        "Send it?",
        "To ${step.fetch.title}?",
        "To ${step.fetch.page.mail}?",
    ] {
        assert_eq!(steps(shows, page), "step `fetch`", "{shows}");
    }
}

#[test]
fn an_approval_endorses_nothing_that_may_start_before_it() {
    let steps = [
        fetch(),
        ask("ok", "To ${step.fetch.page}?"),
        send("${step.fetch.page}"),
    ];
    assert_eq!(from(&steps), "step `fetch`");
    // a question that approves nothing endorses nothing
    let question = step(
        "ok",
        "HUMAN_INTERACTION",
        json!({"prompt": "To ${step.fetch.page}?", "response_field": "name"}),
        json!({}),
    );
    let steps = [
        fetch(),
        question,
        after(send("${step.fetch.page}"), &["ok"]),
    ];
    assert_eq!(from(&steps), "step `fetch`");
}

#[test]
fn what_is_made_of_an_endorsed_value_is_trusted() {
    let early = [
        fetch(),
        prompt("sum", "${step.fetch.page}"),
        ask("ok", "Of ${step.fetch.page}?"),
        after(send("${step.sum.text}"), &["ok"]),
    ];
    assert_eq!(from(&early), "step `fetch`");
    let late = [
        fetch(),
        ask("ok", "Of ${step.fetch.page}?"),
        after(prompt("sum", "${step.fetch.page}"), &["ok"]),
        send("${step.sum.text}"),
    ];
    assert_eq!(from(&late), "");
}

#[test]
fn a_shown_list_endorses_its_items() {
    let steps = |after_it: &[&str]| {
        let each = fan_out("each", "${step.fetch.rows}", &["send"], json!({}));
        from(&[
            fetch(),
            ask("ok", "To all of ${step.fetch.rows}?"),
            after(each, after_it),
            send("${item.row}"),
        ])
    };
    assert_eq!(steps(&["ok"]), "");
    assert_eq!(steps(&[]), "step `fetch`");
}

#[test]
fn of_alternatives_those_are_endorsed_that_are_chosen_alike() {
    let steps = |shows: &str, to: &str| {
        from(&[
            fetch(),
            call("other", "fetch", json!({})),
            ask("ok", shows),
            after(send(to), &["ok"]),
        ])
    };
    let both = "${step.fetch.a ?? step.other.b}";
    assert_eq!(steps(both, both), "");
    assert_eq!(steps(both, "${step.fetch.a}"), "");
    assert_eq!(steps(both, "${step.fetch.a.x ?? step.other.b.y}"), "");
    assert_eq!(steps(both, "${step.fetch.a ?? input.who}"), "");
    // the prompt may have shown the first one
    assert_eq!(steps(both, "${step.other.b}"), "step `other`");
    assert_eq!(steps("${step.fetch.a}", both), "step `other`");
    assert_eq!(
        steps("${step.other.b ?? step.fetch.a}", both),
        "step `fetch`"
    );
}

#[test]
fn a_mask_endorses_nothing() {
    let policy = Policy::default().distrust(UntrustedSource::Inputs);
    let steps = |input: &str| {
        let shows = format!("To ${{input.{input}}}?");
        let to = format!("${{input.{input}}}");
        source(&[ask("ok", &shows), after(send(&to), &["ok"])], &policy)
    };
    assert_eq!(steps("who"), "");
    assert_eq!(steps("pin"), "the input `pin`");
}
