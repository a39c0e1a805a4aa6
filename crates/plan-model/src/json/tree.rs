//! The outlet that builds a JSON value.

use std::fmt;

use serde_json::{Map, Value};

use super::Outlet;

/// A JSON value being built.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    open: Vec<Open>,
    done: Value,
}

#[derive(Debug)]
enum Open {
    Object(Map<String, Value>, String),
    Array(Vec<Value>),
}

impl Tree {
    /// The value, once all that was opened is closed.
    pub(crate) fn finish(self) -> Value {
        self.done
    }

    fn put(&mut self, value: Value) {
        match self.open.last_mut() {
            Some(Open::Object(map, key)) => {
                map.insert(std::mem::take(key), value);
            }
            Some(Open::Array(items)) => items.push(value),
            None => self.done = value,
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(Open::Object(map, _)) => self.put(Value::Object(map)),
            Some(Open::Array(items)) => self.put(Value::Array(items)),
            None => {}
        }
    }
}

impl Outlet for Tree {
    fn open_object(&mut self) {
        self.open.push(Open::Object(Map::new(), String::new()));
    }

    fn close_object(&mut self) {
        self.close();
    }

    fn open_array(&mut self) {
        self.open.push(Open::Array(Vec::new()));
    }

    fn close_array(&mut self) {
        self.close();
    }

    fn key(&mut self, key: &str) {
        if let Some(Open::Object(_, open)) = self.open.last_mut() {
            key.clone_into(open);
        }
    }

    fn text(&mut self, text: &str) {
        self.put(Value::from(text));
    }

    fn shown(&mut self, text: &dyn fmt::Display) {
        self.put(Value::String(text.to_string()));
    }

    fn value(&mut self, value: &Value) {
        self.put(value.clone());
    }
}
