//! From tokens to a tree: precedence climbing, with every nesting counted.

use std::ops::Range;

use super::lex::{Token, TokenKind, tokens};
use super::tree::{Function, Kind, Node, Operator};
use super::{ExpressionError, foreign};
use crate::Limits;

/// Nesting past which no limit goes: the parser recurses that deep.
const DEEPEST: usize = 64;
/// Operators past which no limit goes: the tree may be that deep.
const MOST_OPERATORS: usize = 128;

type Result<T> = std::result::Result<T, ExpressionError>;

/// Parses a whole expression.
pub(super) fn expression(source: &str, limits: &Limits) -> Result<Node> {
    if source.len() > limits.expression_bytes {
        return Err(ExpressionError::new(
            format!(
                "the expression has {} bytes, over the limit of {}",
                source.len(),
                limits.expression_bytes
            ),
            0..source.len(),
        ));
    }
    let mut parser = Parser {
        source,
        tokens: tokens(source)?.into_iter().peekable(),
        end: 0,
        depth: 0,
        deepest: limits.expression_depth.min(DEEPEST),
        operators: 0,
        most_operators: limits.expression_operators.min(MOST_OPERATORS),
    };
    let root = parser.expression()?;
    match parser.tokens.next() {
        None => Ok(root),
        Some(token) => Err(parser.unexpected(token, "an operator")),
    }
}

struct Parser<'s> {
    source: &'s str,
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    /// Where the last token ended.
    end: usize,
    depth: usize,
    deepest: usize,
    operators: usize,
    most_operators: usize,
}

impl Parser<'_> {
    fn expression(&mut self) -> Result<Node> {
        let condition = self.binary(0)?;
        let Some(question) = self.take(|kind| matches!(kind, TokenKind::Question)) else {
            return Ok(condition);
        };
        self.count(&question)?;
        self.nested(&question, |parser| {
            let then = parser.expression()?;
            parser.expect(|kind| matches!(kind, TokenKind::Colon), "`:`")?;
            let otherwise = parser.expression()?;
            let range = condition.range.start..otherwise.range.end;
            Ok(Node {
                kind: Kind::Choice(Box::new([condition, then, otherwise])),
                range,
            })
        })
    }

    fn binary(&mut self, level: u8) -> Result<Node> {
        let mut left = self.unary()?;
        loop {
            let operator = match self.tokens.peek().map(|token| &token.kind) {
                Some(TokenKind::Operator(operator)) if operator.level() >= level => *operator,
                _ => return Ok(left),
            };
            let range = self.next().map_or(0..0, |token| token.range);
            self.count(&range)?;
            let right = self.binary(operator.level() + 1)?;
            left = Node {
                range: left.range.start..right.range.end,
                kind: Kind::Binary(operator, Box::new(left), Box::new(right)),
            };
        }
    }

    fn unary(&mut self) -> Result<Node> {
        let mut marks = Vec::new();
        let is_mark = |kind: &TokenKind| {
            matches!(
                kind,
                TokenKind::Not | TokenKind::Operator(Operator::Subtract)
            )
        };
        while let Some(mark) = self.tokens.next_if(|token| is_mark(&token.kind)) {
            self.count(&mark.range)?;
            marks.push(mark);
        }
        let mut node = self.member()?;
        for mark in marks.into_iter().rev() {
            let range = mark.range.start..node.range.end;
            let inner = Box::new(node);
            let kind = match mark.kind {
                TokenKind::Not => Kind::Not(inner),
                _ => Kind::Negate(inner),
            };
            node = Node { kind, range };
        }
        Ok(node)
    }

    fn member(&mut self) -> Result<Node> {
        let mut node = self.primary()?;
        while self.take(|kind| matches!(kind, TokenKind::Dot)).is_some() {
            let Some(token) = self.next() else {
                return Err(self.ended("a function"));
            };
            let TokenKind::Word(word) = &token.kind else {
                return Err(self.unexpected(token, "a function"));
            };
            let word = word.clone();
            if !matches!(self.tokens.peek(), Some(next) if matches!(next.kind, TokenKind::Open)) {
                return Err(ExpressionError::new(
                    format!("`.{word}` cannot be read here: a path stands inside `${{…}}`"),
                    token.range,
                ));
            }
            let range = node.range.start;
            node = self.call(&word, &token.range, Some(node))?;
            node.range.start = range;
        }
        Ok(node)
    }

    fn primary(&mut self) -> Result<Node> {
        let Some(token) = self.next() else {
            return Err(self.ended("a value"));
        };
        let range = token.range.clone();
        let kind = match token.kind {
            TokenKind::Number(number) => Kind::Number(number),
            TokenKind::Text(text) => Kind::Text(text),
            TokenKind::Reference(reference) => Kind::Reference(reference),
            TokenKind::Word(word) => return self.word(&word, &range),
            TokenKind::Open => {
                let inner = self.nested(&range, Self::expression)?;
                self.expect(|kind| matches!(kind, TokenKind::Close), "`)`")?;
                return Ok(Node {
                    kind: inner.kind,
                    range: range.start..self.end,
                });
            }
            TokenKind::OpenList => {
                let items = self.nested(&range, |parser| {
                    parser.list(|kind| matches!(kind, TokenKind::CloseList), "`]`")
                })?;
                return Ok(Node {
                    kind: Kind::List(items),
                    range: range.start..self.end,
                });
            }
            _ => return Err(self.unexpected(token, "a value")),
        };
        Ok(Node { kind, range })
    }

    fn word(&mut self, word: &str, range: &Range<usize>) -> Result<Node> {
        let kind = match word {
            "null" => Kind::Null,
            "true" => Kind::Boolean(true),
            "false" => Kind::Boolean(false),
            _ if matches!(self.tokens.peek(), Some(next) if matches!(next.kind, TokenKind::Open)) =>
            {
                return self.call(word, range, None);
            }
            _ => return Err(bare_word(word, range.clone())),
        };
        Ok(Node {
            kind,
            range: range.clone(),
        })
    }

    fn call(&mut self, name: &str, range: &Range<usize>, receiver: Option<Node>) -> Result<Node> {
        let Some(function) = Function::named(name) else {
            let error = ExpressionError::new(
                format!(
                    "there is no function `{name}`, only `size`, `has`, `contains`, `startsWith` and `endsWith`"
                ),
                range.clone(),
            );
            return Err(match foreign::function(name) {
                Some(ours) => error.suggesting(ours),
                None => error,
            });
        };
        self.count(range)?;
        self.expect(|kind| matches!(kind, TokenKind::Open), "`(`")?;
        let mut arguments: Vec<Node> = receiver.into_iter().collect();
        arguments.extend(self.nested(range, |parser| {
            parser.list(|kind| matches!(kind, TokenKind::Close), "`)`")
        })?);
        let whole = range.start..self.end;
        if arguments.len() != function.arity() {
            let message = format!(
                "`{function}` takes {}, not {}",
                match function.arity() {
                    1 => "1 value",
                    _ => "2 values",
                },
                arguments.len()
            );
            return Err(ExpressionError::new(message, whole));
        }
        let is_path = matches!(
            arguments.as_slice(),
            [Node {
                kind: Kind::Reference(_),
                ..
            }]
        );
        if function == Function::Has && !is_path {
            return Err(ExpressionError::new("`has` takes a reference", whole));
        }
        Ok(Node {
            kind: Kind::Call(function, arguments),
            range: whole,
        })
    }

    /// Expressions between commas, up to the closing mark.
    fn list(&mut self, closes: fn(&TokenKind) -> bool, close: &str) -> Result<Vec<Node>> {
        let mut items = Vec::new();
        if self.take(closes).is_some() {
            return Ok(items);
        }
        loop {
            items.push(self.expression()?);
            if self.take(|kind| matches!(kind, TokenKind::Comma)).is_none() {
                self.expect(closes, close)?;
                return Ok(items);
            }
        }
    }

    fn nested<T>(
        &mut self,
        range: &Range<usize>,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if self.depth == self.deepest {
            return Err(ExpressionError::new(
                format!("the expression is nested over {} levels deep", self.deepest),
                range.clone(),
            ));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn count(&mut self, range: &Range<usize>) -> Result<()> {
        if self.operators == self.most_operators {
            return Err(ExpressionError::new(
                format!("the expression has over {} operators", self.most_operators),
                range.clone(),
            ));
        }
        self.operators += 1;
        Ok(())
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.next()?;
        self.end = token.range.end;
        Some(token)
    }

    fn take(&mut self, is: impl Fn(&TokenKind) -> bool) -> Option<Range<usize>> {
        let token = self.tokens.next_if(|token| is(&token.kind))?;
        self.end = token.range.end;
        Some(token.range)
    }

    fn expect(&mut self, is: fn(&TokenKind) -> bool, what: &str) -> Result<()> {
        if self.take(is).is_some() {
            return Ok(());
        }
        Err(match self.tokens.next() {
            Some(token) => self.unexpected(token, what),
            None => self.ended(what),
        })
    }

    fn unexpected(&self, token: Token, wanted: &str) -> ExpressionError {
        if let TokenKind::Word(word) = &token.kind
            && let Some(ours) = foreign::word(word)
        {
            return foreign_word(word, ours, token.range);
        }
        let found = self.source.get(token.range.clone()).unwrap_or_default();
        ExpressionError::new(
            format!("{wanted} should stand where `{found}` is"),
            token.range,
        )
    }

    fn ended(&self, wanted: &str) -> ExpressionError {
        let end = self.source.len();
        let message = if self.source.trim().is_empty() {
            "the expression is empty".to_owned()
        } else {
            format!("the expression ends where {wanted} should stand")
        };
        ExpressionError::new(message, end..end)
    }
}

fn bare_word(word: &str, range: Range<usize>) -> ExpressionError {
    match foreign::word(word) {
        Some(ours) => foreign_word(word, ours, range),
        None => ExpressionError::new(
            format!("`{word}` is neither a path nor a function; text stands in quotes"),
            range,
        )
        .suggesting(format!("\"{word}\"")),
    }
}

fn foreign_word(word: &str, ours: &str, range: Range<usize>) -> ExpressionError {
    ExpressionError::new(format!("`{word}` is written `{ours}`"), range).suggesting(ours)
}
