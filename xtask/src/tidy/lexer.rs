//! Just enough of Rust's grammar to tell code from comments and strings.

/// A word or a mark of punctuation, with its line from 1. `::` is one token; lifetimes and literals are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token<'a> {
    pub text: &'a str,
    pub line: usize,
}

/// The tokens of Rust source.
pub fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = Cursor { code, at: 0, line: 1 };
    while let Some(byte) = rest.peek(0) {
        let start = rest.at;
        let line = rest.line;
        if rest.starts("//") {
            rest.skip_until("\n");
        } else if rest.starts("/*") {
            rest.skip_block_comment();
        } else if byte == b'"' {
            rest.skip_string();
        } else if byte == b'\'' {
            rest.skip_quote();
        } else if is_word(byte) {
            rest.skip_word();
            let text = &code[start..rest.at];
            let prefixes_string = matches!(text, "r" | "b" | "br" | "c" | "cr") && rest.peek(0).is_some();
            if prefixes_string && text.contains('r') && rest.at_raw_string() {
                rest.skip_raw_string();
            } else if prefixes_string && rest.peek(0) == Some(b'"') {
                rest.skip_string();
            } else if prefixes_string && text == "b" && rest.peek(0) == Some(b'\'') {
                rest.skip_quote();
            } else if !text.as_bytes()[0].is_ascii_digit() {
                tokens.push(Token { text, line });
            }
        } else if rest.starts("::") {
            rest.advance(2);
            tokens.push(Token { text: "::", line });
        } else {
            rest.advance(code[start..].chars().next().map_or(1, char::len_utf8));
            if !byte.is_ascii_whitespace() {
                tokens.push(Token { text: &code[start..rest.at], line });
            }
        }
    }
    tokens
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

struct Cursor<'a> {
    code: &'a str,
    at: usize,
    line: usize,
}

impl Cursor<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.code.as_bytes().get(self.at + ahead).copied()
    }

    fn starts(&self, text: &str) -> bool {
        self.code.as_bytes()[self.at..].starts_with(text.as_bytes())
    }

    fn advance(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.code.len());
        self.line += self.code.as_bytes()[self.at..end].iter().filter(|&&byte| byte == b'\n').count();
        self.at = end;
    }

    fn skip_until(&mut self, text: &str) {
        let rest = &self.code.as_bytes()[self.at..];
        let length = rest.windows(text.len()).position(|window| window == text.as_bytes());
        self.advance(length.unwrap_or(rest.len()));
    }

    fn skip_word(&mut self) {
        while self.peek(0).is_some_and(is_word) {
            self.advance(1);
        }
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        while self.peek(0).is_some() {
            if self.starts("/*") {
                depth += 1;
                self.advance(2);
            } else if self.starts("*/") {
                depth -= 1;
                self.advance(2);
                if depth == 0 {
                    return;
                }
            } else {
                self.advance(1);
            }
        }
    }

    fn skip_string(&mut self) {
        self.advance(1);
        while let Some(byte) = self.peek(0) {
            self.advance(if byte == b'\\' { 2 } else { 1 });
            if byte == b'"' {
                return;
            }
        }
    }

    fn at_raw_string(&self) -> bool {
        let hashes = self.hashes();
        self.peek(hashes) == Some(b'"')
    }

    fn hashes(&self) -> usize {
        self.code.as_bytes()[self.at..].iter().take_while(|&&byte| byte == b'#').count()
    }

    fn skip_raw_string(&mut self) {
        let hashes = self.hashes();
        self.advance(hashes + 1);
        let end = format!("\"{}", "#".repeat(hashes));
        self.skip_until(&end);
        self.advance(end.len());
    }

    /// A character literal or a lifetime.
    fn skip_quote(&mut self) {
        self.advance(1);
        if self.peek(0) == Some(b'\\') {
            self.advance(2);
            self.skip_until("'");
            self.advance(1);
            return;
        }
        let length = self.code[self.at..].chars().next().map_or(0, char::len_utf8);
        if self.peek(length) == Some(b'\'') {
            self.advance(length + 1);
        } else {
            self.skip_word();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(code: &str) -> Vec<&str> {
        tokens(code).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_strings_characters_and_lifetimes_are_no_tokens() {
        assert_eq!(texts("a // b\nc /* d /* e */ f */ g"), ["a", "c", "g"]);
        assert_eq!(texts(r#"x("unsafe \" {", b"y", 'u', '\'', b'\\')"#), ["x", "(", ",", ",", ",", ",", ")"]);
        assert_eq!(texts("r\"a\" br##\"b \"# c\"## d"), ["d"]);
        assert_eq!(texts("fn f<'a>(x: &'a str)"), ["fn", "f", "<", ">", "(", "x", ":", "&", "str", ")"]);
        assert_eq!(texts("let é = 'é'; 1.0e-3"), ["let", "é", "=", ";", ".", "-"]);
    }

    #[test]
    fn paths_split_at_double_colons_and_lines_count_from_one() {
        let found = tokens("use crate::a;\n\"\n\"\nb");
        assert_eq!(found[..4].iter().map(|token| token.text).collect::<Vec<_>>(), ["use", "crate", "::", "a"]);
        assert_eq!(found.last(), Some(&Token { text: "b", line: 4 }));
    }

    #[test]
    fn unfinished_source_ends_quietly() {
        for code in ["/* a", "\"a", "r#\"a", "'", "'\\", "b'", "a::"] {
            let _ = tokens(code);
        }
    }
}
