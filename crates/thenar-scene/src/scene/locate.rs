//! From a field's path to its place in the text, and back.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Line and column, both counted from 1, of a byte offset.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |newline| newline + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    (line, column)
}

/// Byte offset of the field at a path such as `object[1].mass`, or of the nearest parent that exists.
pub(super) fn offset_of(text: &str, path: &str) -> usize {
    let Ok(table) = DeTable::parse(text) else { return 0 };
    let mut offset = 0;
    let mut here: Option<&DeValue<'_>> = None;
    for segment in segments(path) {
        let next: Option<&Spanned<DeValue<'_>>> = match (segment, here) {
            (Segment::Key(key), None) => table.get_ref().get(key),
            (Segment::Key(key), Some(DeValue::Table(inner))) => inner.get(key),
            (Segment::Index(index), Some(DeValue::Array(list))) => list.get(index),
            _ => None,
        };
        let Some(value) = next else { break };
        offset = value.span().start;
        here = Some(value.get_ref());
    }
    offset
}

/// Path of the innermost value whose text covers a byte offset.
pub(super) fn path_at(text: &str, offset: usize) -> String {
    let Ok(table) = DeTable::parse(text) else { return String::new() };
    let mut path = String::new();
    descend_table(table.get_ref(), offset, &mut path);
    path
}

fn descend_table(table: &DeTable<'_>, offset: usize, path: &mut String) {
    for (key, value) in table {
        let on_key = covers(&key.span(), offset);
        if on_key || covers(&value.span(), offset) || holds(value.get_ref(), offset) {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(key.get_ref());
            if !on_key {
                descend(value.get_ref(), offset, path);
            }
            return;
        }
    }
}

fn descend(value: &DeValue<'_>, offset: usize, path: &mut String) {
    match value {
        DeValue::Table(table) => descend_table(table, offset, path),
        DeValue::Array(list) => {
            for (index, element) in list.iter().enumerate() {
                if covers(&element.span(), offset) || holds(element.get_ref(), offset) {
                    path.push_str(&format!("[{index}]"));
                    descend(element.get_ref(), offset, path);
                    return;
                }
            }
        }
        _ => {}
    }
}

/// The span of a table in brackets covers only its header; its fields lie outside.
fn holds(value: &DeValue<'_>, offset: usize) -> bool {
    match value {
        DeValue::Table(table) => table.iter().any(|(key, inner)| {
            covers(&key.span(), offset) || covers(&inner.span(), offset) || holds(inner.get_ref(), offset)
        }),
        DeValue::Array(list) => {
            list.iter().any(|element| covers(&element.span(), offset) || holds(element.get_ref(), offset))
        }
        _ => false,
    }
}

fn covers(span: &std::ops::Range<usize>, offset: usize) -> bool {
    span.contains(&offset)
}

enum Segment<'a> {
    Key(&'a str),
    Index(usize),
}

fn segments(path: &str) -> impl Iterator<Item = Segment<'_>> {
    path.split(['.', '[']).filter(|s| !s.is_empty()).map(|piece| match piece.strip_suffix(']') {
        Some(number) => Segment::Index(number.parse().unwrap_or(usize::MAX)),
        None => Segment::Key(piece),
    })
}
