//! A value and the way to it.

use crate::Pointer;
use crate::document::tree::{Kind, NodeRef};

/// A node and how it was reached. The pointer is made only when somebody asks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'d, 'a> {
    pub(crate) node: NodeRef<'d>,
    way: Way<'d, 'a>,
}

#[derive(Debug, Clone, Copy)]
enum Way<'d, 'a> {
    /// The whole document.
    Root,
    Member(&'a Place<'d, 'a>, &'d str),
    Element(&'a Place<'d, 'a>, usize),
}

impl<'d, 'a> Place<'d, 'a> {
    pub(crate) fn root(node: NodeRef<'d>) -> Self {
        Self {
            node,
            way: Way::Root,
        }
    }

    pub(crate) fn named(&'a self, key: NodeRef<'d>, node: NodeRef<'d>) -> Self {
        Self {
            node,
            way: Way::Member(self, key.text()),
        }
    }

    /// The index of an element; 0 for anything else.
    pub(crate) fn index(&self) -> usize {
        match self.way {
            Way::Element(_, index) => index,
            Way::Root | Way::Member(..) => 0,
        }
    }

    pub(crate) fn is_array(&self) -> bool {
        self.node.kind() == Kind::Array
    }

    pub(crate) fn is_object(&self) -> bool {
        self.node.kind() == Kind::Object
    }

    pub(crate) fn is_inexact(&self) -> bool {
        self.node.kind() == Kind::Inexact
    }

    pub(crate) fn elements(&'a self) -> impl Iterator<Item = Place<'d, 'a>> {
        self.node
            .elements()
            .enumerate()
            .map(move |(index, node)| Place {
                node,
                way: Way::Element(self, index),
            })
    }

    /// The members of an object, each with the node of its key.
    pub(crate) fn members(&'a self) -> impl Iterator<Item = (NodeRef<'d>, Place<'d, 'a>)> {
        self.node
            .members()
            .map(move |(key, node)| (key, self.named(key, node)))
    }

    /// The member of this name.
    pub(crate) fn member(&'a self, name: &str) -> Option<Place<'d, 'a>> {
        self.members()
            .find(|(key, _)| key.text() == name)
            .map(|(_, place)| place)
    }

    /// Where in the document the value stands. As long as the value is nested deep.
    pub(crate) fn pointer(&self) -> Pointer {
        let mut way = Vec::new();
        let mut at = self;
        loop {
            match at.way {
                Way::Root => break,
                Way::Member(parent, _) | Way::Element(parent, _) => {
                    way.push(at.way);
                    at = parent;
                }
            }
        }
        let mut pointer = Pointer::root();
        for step in way.into_iter().rev() {
            match step {
                Way::Root => {}
                Way::Member(_, key) => pointer.push(key),
                Way::Element(_, index) => pointer.push(index),
            }
        }
        pointer
    }
}
