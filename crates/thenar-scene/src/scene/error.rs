//! What is wrong with a scene file, and where.

use std::fmt;

/// A mistake in a scene file.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError {
    /// Line, counted from 1; 0 where no line is to blame.
    pub line: usize,
    /// Column, counted from 1.
    pub column: usize,
    /// Path of the field, such as `object[1].mass`; empty for the file as a whole.
    pub field: String,
    /// What is wrong and what was expected.
    pub what: String,
    /// The nearest name that would be right.
    pub nearest: Option<String>,
}

impl SceneError {
    /// A name that does not exist: offers the nearest one, or else all there are.
    pub(crate) fn unknown<'a>(
        field: impl Into<String>,
        what: String,
        word: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> SceneError {
        let names: Vec<&str> = names.into_iter().collect();
        let nearest = nearest(word, names.iter().copied());
        let what = match nearest {
            None if !names.is_empty() => format!("{what}; expected one of {}", names.join(", ")),
            _ => what,
        };
        SceneError { line: 0, column: 0, field: field.into(), what, nearest }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}", self.line)?;
        }
        match (self.line > 0, self.field.is_empty()) {
            (true, false) => write!(f, ", `{}`: ", self.field)?,
            (true, true) => write!(f, ": ")?,
            (false, false) => write!(f, "`{}`: ", self.field)?,
            (false, true) => {}
        }
        write!(f, "{}", self.what)?;
        match &self.nearest {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SceneError {}

/// The name most like `word`, if any is like it at all.
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name.to_owned())
}
