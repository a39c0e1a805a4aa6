//! From the model to JSON. Members come in the order of the canonical form, and what has its default is left out.

mod plan;
mod step;

use serde_json::Value;

use super::words::Word;
use crate::json::Outlet;
use crate::{Output, Schema, Seconds, StepId, Template};

pub(crate) use plan::{Purpose, write_plan};

/// Members of an object that may be left out.
impl dyn Outlet + '_ {
    fn text_member(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.key(key);
            self.text(text);
        }
    }

    fn value_member(&mut self, key: &str, value: Option<&Value>) {
        if let Some(value) = value {
            self.key(key);
            self.value(value);
        }
    }

    fn schema_member(&mut self, key: &str, schema: Option<&Schema>) {
        self.value_member(key, schema.map(|schema| &schema.0));
    }

    fn whole_member(&mut self, key: &str, number: Option<u64>) {
        self.value_member(key, number.map(Value::from).as_ref());
    }

    fn seconds_member(&mut self, key: &str, seconds: Option<Seconds>) {
        self.value_member(key, seconds.map(seconds_value).as_ref());
    }

    /// A truth value, unless it is the default.
    fn truth_member(&mut self, key: &str, truth: bool, default: bool) {
        if truth != default {
            self.value_member(key, Some(&Value::Bool(truth)));
        }
    }

    /// A word of a closed set, unless it is the default.
    fn word_member<T: Default + PartialEq + Word>(&mut self, key: &str, word: T) {
        if word != T::default() {
            self.text_member(key, Some(word.word()));
        }
    }

    fn ids_member(&mut self, key: &str, ids: &[StepId]) {
        if !ids.is_empty() {
            self.ids(key, ids);
        }
    }

    fn ids(&mut self, key: &str, ids: &[StepId]) {
        self.list(key, ids, |out, id| out.text(id.as_str()));
    }

    fn outputs_member(&mut self, outputs: &[Output]) {
        if !outputs.is_empty() {
            self.list("outputs", outputs, |out, output| {
                out.open_object();
                out.text_member("description", output.description.as_deref());
                out.text_member("name", Some(output.name.as_str()));
                out.schema_member("schema", output.schema.as_ref());
                out.word_member("value_type", output.value_type);
                out.close_object();
            });
        }
    }

    fn template_member(&mut self, key: &str, template: Option<&Template>) {
        if let Some(template) = template {
            self.key(key);
            self.template(template);
        }
    }

    fn template(&mut self, template: &Template) {
        match template {
            Template::Literal(Value::String(text)) if !text.contains("${") => self.text(text),
            Template::Literal(value @ (Value::Null | Value::Bool(_) | Value::Number(_))) => {
                self.value(value);
            }
            Template::Reference(reference) => self.shown(reference),
            _ => self.value(&template.to_value()),
        }
    }

    fn list<T>(&mut self, key: &str, items: &[T], each: fn(&mut Self, &T)) {
        self.key(key);
        self.open_array();
        for item in items {
            each(self, item);
        }
        self.close_array();
    }
}

/// Whole seconds are written as an integer.
fn seconds_value(seconds: Seconds) -> Value {
    let millis = seconds.as_millis();
    if millis.is_multiple_of(1000) {
        return Value::from(millis / 1000);
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "the reader takes no fraction of more than 2^53 milliseconds"
    )]
    let fraction = millis as f64 / 1000.0;
    Value::from(fraction)
}
