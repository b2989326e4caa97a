//! From text to a scene, with errors that say where.

use serde::Deserialize;

use super::error::nearest;
use super::{Scene, SceneError, Variation, locate};

/// Longest scene file that is read, bytes.
const LONGEST: usize = 4 << 20;

impl Scene {
    /// Reads and checks a scene.
    ///
    /// # Errors
    /// The first mistake, with its line and field.
    pub fn read(text: &str) -> Result<Scene, SceneError> {
        if text.len() > LONGEST {
            return Err(plain(format!("the file has {} bytes; at most {LONGEST} are read", text.len())));
        }
        let mut scene: Scene = toml::from_str(text).map_err(|error| explain(text, &error))?;
        scene.unroll().and_then(|()| scene.validate()).map_err(|mut error| {
            (error.line, error.column) = locate::line_and_column(text, locate::offset_of(text, &error.field));
            error
        })?;
        Ok(scene)
    }

    /// The scene with some values replaced, as variants and controls do, and `--set` on the command line.
    ///
    /// # Errors
    /// If a path leads nowhere or a value does not fit.
    pub fn with(&self, variation: &Variation) -> Result<Scene, SceneError> {
        let mut table = toml::Table::try_from(self).map_err(|error| plain(error.to_string()))?;
        for (path, value) in flattened(&variation.set) {
            replace(&mut table, &path, value)?;
        }
        let scene = Scene::deserialize(table.clone()).map_err(|error| misfit(&table, &error))?;
        scene.validate()?;
        Ok(scene)
    }
}

impl Scene {
    /// What is run for this scene: the scene itself, or the scene with the values of each of its cases and its name.
    ///
    /// # Errors
    /// If the values of a case do not fit.
    pub fn runs(&self) -> Result<Vec<(Option<String>, Scene)>, SceneError> {
        if self.cases.is_empty() {
            return Ok(vec![(None, self.clone())]);
        }
        let of_case = |case: &Variation| {
            let mut scene = self.with(case).map_err(|mut error| {
                error.field = format!("case {}: {}", case.name, error.field);
                error
            })?;
            scene.cases.clear();
            for variation in scene.variants.iter_mut().chain(&mut scene.controls) {
                variation.cases.clear();
            }
            Ok((Some(case.name.clone()), scene))
        };
        self.cases.iter().map(of_case).collect()
    }
}

fn plain(what: String) -> SceneError {
    SceneError { line: 0, column: 0, field: String::new(), what, nearest: None }
}

/// Turns an error of the TOML reader into ours: adds the path, and the nearest of the names that were expected.
pub(crate) fn explain(text: &str, error: &toml::de::Error) -> SceneError {
    let offset = error.span().map_or(0, |span| span.start);
    let (line, column) = locate::line_and_column(text, offset);
    let message = error.message();
    let mut names = message.split('`').skip(1).step_by(2);
    let unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let nearest = names.next().filter(|_| unknown).and_then(|wrong| nearest(wrong, names));
    // A field that the file itself lacks is reported at its first key, which is not to blame.
    let begins_table = text.get(offset..).is_some_and(|rest| rest.starts_with(['[', '{']));
    let of_file = message.starts_with("missing field") && !begins_table;
    let field = if of_file { String::new() } else { locate::path_at(text, offset) };
    SceneError { line, column, field, what: in_words(message), nearest }
}

/// Line and column of a field, from 1.
pub(crate) fn place_of(text: &str, field: &str) -> (usize, usize) {
    locate::line_and_column(text, locate::offset_of(text, field))
}

/// The same for a scene that is no file: written out as one, its field can be found.
fn misfit(table: &toml::Table, error: &toml::de::Error) -> SceneError {
    let text = toml::to_string(table).unwrap_or_default();
    match toml::from_str::<Scene>(&text) {
        Err(error) => SceneError { line: 0, column: 0, ..explain(&text, &error) },
        Ok(_) => plain(error.message().to_owned()),
    }
}

/// What the reader expected, without the names of Rust's types.
fn in_words(message: &str) -> String {
    let Some((before, kind)) = message.rsplit_once("expected ") else { return message.to_owned() };
    match kind {
        "f64" => format!("{before}expected a number"),
        "u8" | "u32" | "u64" | "usize" => format!("{before}expected a whole number that is not negative"),
        _ if kind.starts_with("struct ") => format!("{before}expected a table"),
        _ => message.to_owned(),
    }
}

/// Leaves of nested tables with dotted paths. A key that contains dots is a path already, and its value replaces all that
/// is there.
fn flattened(table: &toml::Table) -> Vec<(String, toml::Value)> {
    let mut leaves = Vec::new();
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) if !key.contains('.') => {
                leaves.extend(flattened(inner).into_iter().map(|(path, leaf)| (format!("{key}.{path}"), leaf)));
            }
            _ => leaves.push((key.clone(), value.clone())),
        }
    }
    leaves
}

/// Sets the value at a path. Elements of lists are found by their `name` or their number, from 0; the last key of a
/// table is created if it is missing, so that defaults can be replaced.
fn replace(table: &mut toml::Table, path: &str, value: toml::Value) -> Result<(), SceneError> {
    let error =
        |what: String, near: Option<String>| SceneError { field: path.to_owned(), nearest: near, ..plain(what) };
    let keys: Vec<&str> = path.split('.').collect();
    let Some((last, parents)) = keys.split_last() else { return Err(error("the path is empty".to_owned(), None)) };
    let mut root = toml::Value::Table(std::mem::take(table));
    let mut here = &mut root;
    for key in parents {
        let names = names_in(here);
        let next = match here {
            toml::Value::Table(inner) => inner.get_mut(*key),
            toml::Value::Array(list) => match element(list, key) {
                Some(index) => list.get_mut(index),
                None => None,
            },
            _ => None,
        };
        here = next.ok_or_else(|| {
            SceneError::unknown(path, format!("there is no `{key}`"), key, names.iter().map(String::as_str))
        })?;
    }
    match here {
        toml::Value::Table(inner) => {
            inner.insert((*last).to_owned(), value);
        }
        toml::Value::Array(list) => match element(list, last) {
            Some(index) => list[index] = value,
            None => return Err(error(format!("there is no element `{last}`"), None)),
        },
        _ => return Err(error(format!("`{last}` is not inside a table"), None)),
    }
    if let toml::Value::Table(changed) = root {
        *table = changed;
    }
    Ok(())
}

fn element(list: &[toml::Value], key: &str) -> Option<usize> {
    let named = list.iter().position(|item| item.get("name").and_then(toml::Value::as_str) == Some(key));
    named.or_else(|| key.parse().ok().filter(|index| *index < list.len()))
}

fn names_in(value: &toml::Value) -> Vec<String> {
    match value {
        toml::Value::Table(table) => table.keys().cloned().collect(),
        toml::Value::Array(list) => {
            list.iter().filter_map(|item| item.get("name")?.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}
