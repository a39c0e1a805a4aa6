//! From text to tokens. References are read here, by the one parser of references.

use std::ops::Range;

use super::tree::{Function, Operator};
use super::{ExpressionError, foreign};
use crate::number::Exact;
use crate::reference::{NameStyle, Parser};
use crate::{Pointer, Reference, plan_references};

/// The words that begin a path.
const KINDS: &[&str] = &["input", "conf", "step", "item", "secret", "env"];

/// A token, with its bytes in the source.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) range: Range<usize>,
}

/// What a token is.
#[derive(Debug)]
pub(super) enum TokenKind {
    Number(Exact),
    Text(String),
    Reference(Reference),
    /// A word that is no operator.
    Word(String),
    Operator(Operator),
    Not,
    Question,
    Colon,
    Open,
    Close,
    OpenList,
    CloseList,
    Comma,
    Dot,
}

/// The token of a mark; the longest mark at the beginning of `rest` wins.
fn mark(rest: &str) -> Option<(&'static str, TokenKind)> {
    const MARKS: [&str; 22] = [
        "||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", "(",
        ")", "[", "]", ",", ".",
    ];
    let mark = MARKS.into_iter().find(|mark| rest.starts_with(mark))?;
    let operator = match mark {
        "||" => Operator::Or,
        "&&" => Operator::And,
        "==" => Operator::Equal,
        "!=" => Operator::NotEqual,
        "<=" => Operator::LessOrEqual,
        ">=" => Operator::GreaterOrEqual,
        "<" => Operator::Less,
        ">" => Operator::Greater,
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "%" => Operator::Remainder,
        "!" => return Some((mark, TokenKind::Not)),
        "?" => return Some((mark, TokenKind::Question)),
        ":" => return Some((mark, TokenKind::Colon)),
        "(" => return Some((mark, TokenKind::Open)),
        ")" => return Some((mark, TokenKind::Close)),
        "[" => return Some((mark, TokenKind::OpenList)),
        "]" => return Some((mark, TokenKind::CloseList)),
        "," => return Some((mark, TokenKind::Comma)),
        _ => return Some((mark, TokenKind::Dot)),
    };
    Some((mark, TokenKind::Operator(operator)))
}

/// All tokens of a source text.
pub(super) fn tokens(source: &str) -> Result<Vec<Token>, ExpressionError> {
    let mut lexer = Lexer { source, at: 0 };
    let mut tokens: Vec<Token> = Vec::new();
    loop {
        let rest = lexer.rest();
        lexer.at += rest.len() - rest.trim_start().len();
        if lexer.rest().is_empty() {
            return Ok(tokens);
        }
        let start = lexer.at;
        let after_dot = matches!(tokens.last(), Some(last) if matches!(last.kind, TokenKind::Dot));
        let kind = lexer.token(after_dot)?;
        tokens.push(Token {
            kind,
            range: start..lexer.at,
        });
    }
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn token(&mut self, after_dot: bool) -> Result<TokenKind, ExpressionError> {
        let rest = self.rest();
        let first = rest.chars().next().unwrap_or_default();
        let second = rest.chars().nth(1).unwrap_or_default();
        if rest.starts_with("${") {
            return self.braced();
        }
        if first == '"' || first == '\'' {
            return self.text(first);
        }
        if first.is_ascii_digit() || (first == '.' && second.is_ascii_digit()) {
            return self.number();
        }
        if first.is_alphabetic() || first == '_' {
            return self.word(after_dot);
        }
        let own = mark(rest);
        // the language has some marks that begin like a foreign one
        let own_length = own.as_ref().map_or(0, |(mark, _)| mark.len());
        let foreign = foreign::MARKS
            .iter()
            .find(|(mark, _)| rest.starts_with(mark) && mark.len() > own_length);
        if let Some((mark, ours)) = foreign {
            let range = self.at..self.at + mark.len();
            return Err(
                ExpressionError::new(format!("`{mark}` is written `{ours}`"), range)
                    .suggesting(*ours),
            );
        }
        if rest.starts_with("??") {
            let range = self.at..self.at + 2;
            return Err(ExpressionError::new("`??` stands inside `${…}`", range));
        }
        if let Some((mark, kind)) = own {
            self.at += mark.len();
            return Ok(kind);
        }
        let range = self.at..self.at + first.len_utf8();
        Err(ExpressionError::new(
            format!("{first:?} means nothing here"),
            range,
        ))
    }

    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method itself is not general enough in its lifetimes"
    )]
    fn braced(&mut self) -> Result<TokenKind, ExpressionError> {
        self.reference(|parser| parser.braced())
    }

    fn reference(
        &mut self,
        read: impl FnOnce(&mut Parser<'_, '_>) -> Result<Reference, crate::ReferenceError>,
    ) -> Result<TokenKind, ExpressionError> {
        let (root, mut names) = (Pointer::root(), ());
        let mut parser = Parser::new(self.rest(), &root, &mut names);
        match read(&mut parser) {
            Ok(reference) => {
                self.at += parser.at();
                Ok(TokenKind::Reference(reference))
            }
            Err(error) => {
                let at = (self.at + error.at).min(self.source.len());
                let character = self.source.get(at..).and_then(|rest| rest.chars().next());
                let end = at + character.map_or(0, char::len_utf8);
                Err(ExpressionError::new(error.message, at..end))
            }
        }
    }

    fn word(&mut self, after_dot: bool) -> Result<TokenKind, ExpressionError> {
        let start = self.at;
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if !after_dot && KINDS.contains(&word) && after.starts_with(['.', '[']) {
            let mut is_whole_step = false;
            let path = self.reference(|parser| {
                let path = parser.path(NameStyle::Bare)?;
                is_whole_step = path.step().is_some() && path.segments.is_empty();
                Ok(Reference::to(path))
            })?;
            self.refuse_hyphen(start, is_whole_step)?;
            return Ok(path);
        }
        self.at += end;
        Ok(match word {
            "in" => TokenKind::Operator(Operator::In),
            _ => TokenKind::Word(word.to_owned()),
        })
    }

    /// A hyphen right after a bare path is a subtraction, unless nothing can be subtracted from what
    /// stands before it or what follows can only be the rest of a name.
    fn refuse_hyphen(&self, start: usize, is_whole_step: bool) -> Result<(), ExpressionError> {
        let Some(after) = self.rest().strip_prefix('-') else {
            return Ok(());
        };
        let end = after
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(after.len());
        let (word, rest) = after.split_at(end);
        let is_operand =
            KINDS.contains(&word) || (Function::named(word).is_some() && rest.starts_with('('));
        if !word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            || (is_operand && !is_whole_step)
        {
            return Ok(());
        }
        let text = self.source.get(start..).unwrap_or_default();
        let (root, mut names) = (Pointer::root(), ());
        let mut parser = Parser::new(text, &root, &mut names);
        let suggestion = parser
            .path(NameStyle::Braced)
            .ok()
            .map(|path| format!("${{{path}}}"));
        Err(ExpressionError {
            message: "a name with a hyphen stands inside `${…}`".to_owned(),
            range: start..start + parser.at(),
            suggestion,
        })
    }

    fn number(&mut self) -> Result<TokenKind, ExpressionError> {
        let start = self.at;
        let rest = self.rest();
        let digits =
            |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let mut end = digits(rest);
        let tail = |end: usize| rest.get(end..).unwrap_or_default();
        if let Some(fraction) = tail(end).strip_prefix('.').filter(|f| digits(f) > 0) {
            end += 1 + digits(fraction);
        }
        if let Some(exponent) = tail(end).strip_prefix(['e', 'E']) {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits(unsigned) > 0 {
                end += 1 + (exponent.len() - unsigned.len()) + digits(unsigned);
            }
        }
        let text = rest.get(..end).unwrap_or_default();
        self.at += end;
        let range = start..self.at;
        if self
            .rest()
            .starts_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            return Err(ExpressionError::new("a number ends in a letter", range));
        }
        let number = if text.bytes().all(|byte| byte.is_ascii_digit()) {
            text.parse::<u64>()
                .ok()
                .map(|whole| Exact::Integer(whole.into()))
        } else {
            text.parse::<f64>()
                .ok()
                .filter(|double| double.is_finite())
                .map(Exact::Double)
        };
        number
            .map(TokenKind::Number)
            .ok_or_else(|| ExpressionError::new("the number is too large", range))
    }

    fn text(&mut self, quote: char) -> Result<TokenKind, ExpressionError> {
        let start = self.at;
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            if character == quote {
                self.at += at + 1;
                return self.refuse_reference(start, text);
            }
            if character != '\\' {
                text.push(character);
                continue;
            }
            let escape = characters.next().map(|(_, escape)| escape);
            let code = |length| {
                let digits = self
                    .source
                    .get(start + at + 2..start + at + 2 + length)
                    .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)
            };
            let (escaped, digits) = match escape {
                Some('n') => (Some('\n'), 0),
                Some('r') => (Some('\r'), 0),
                Some('t') => (Some('\t'), 0),
                Some('a') => (Some('\u{7}'), 0),
                Some('b') => (Some('\u{8}'), 0),
                Some('f') => (Some('\u{c}'), 0),
                Some('v') => (Some('\u{b}'), 0),
                Some(same @ ('\\' | '"' | '\'' | '`' | '?')) => (Some(same), 0),
                Some('x' | 'X') => (code(2), 2),
                Some('u') => (code(4), 4),
                Some('U') => (code(8), 8),
                _ => (None, 0),
            };
            let Some(escaped) = escaped else {
                let range = start + at..start + at + 1;
                return Err(ExpressionError::new(
                    "the text holds an unknown escape",
                    range,
                ));
            };
            text.push(escaped);
            for _ in 0..digits {
                characters.next();
            }
        }
        let range = start..self.source.len();
        Err(ExpressionError::new("the text is not closed", range))
    }

    /// A reference in quotes would be compared as the text that it is.
    fn refuse_reference(&self, start: usize, text: String) -> Result<TokenKind, ExpressionError> {
        if plan_references(&text).next().is_none() {
            return Ok(TokenKind::Text(text));
        }
        let error = ExpressionError::new("a reference inside quotes is text", start..self.at);
        Err(match Reference::parse(text.trim()) {
            Ok(reference) => error.suggesting(reference.to_string()),
            Err(_) => error,
        })
    }
}
