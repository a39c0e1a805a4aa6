//! `CODE_CALL`.

use super::{Decoder, Field, Place};
use crate::document::ProblemKind;
use crate::{CodeCall, CodeSource, LanguageName, Template};

pub(super) fn read(cx: &mut Decoder, at: &Place<'_, '_>) -> CodeCall {
    let [
        _,
        language,
        inline,
        file,
        args,
        stdin,
        env,
        working_dir,
        timeout_secs,
    ] = cx.object(
        at,
        "a code call, as an object",
        [
            Field::required("type"),
            Field::required("language"),
            Field::optional("inline"),
            Field::optional("file"),
            Field::optional("args"),
            Field::optional("stdin"),
            Field::optional("env"),
            Field::optional("working_dir"),
            Field::optional("timeout_secs"),
        ],
    );
    if inline.is_some() == file.is_some() {
        cx.stand_in(at);
        let kind = ProblemKind::NotExactlyOne {
            fields: &["inline", "file"],
            present: usize::from(inline.is_some()) + usize::from(file.is_some()),
        };
        cx.report(at, kind);
    }
    let file = cx.text_template(file).map(CodeSource::File);
    CodeCall {
        language: cx
            .host_name(language, "a language")
            .unwrap_or_else(|| LanguageName::unchecked("")),
        source: file.unwrap_or_else(|| CodeSource::Inline(cx.text(inline).unwrap_or_default())),
        args: cx.list(args, "texts", text),
        stdin: cx.text_template(stdin),
        env: cx.templates(env, "an object of environment variables", text),
        working_dir: cx.text_template(working_dir),
        timeout_secs: cx.seconds(timeout_secs),
    }
}

fn text(cx: &mut Decoder, at: &Place<'_, '_>) -> Template {
    cx.text_template(Some(*at))
        .unwrap_or_else(|| Template::Literal("".into()))
}
