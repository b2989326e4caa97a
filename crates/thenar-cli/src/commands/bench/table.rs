//! Figures in columns.

use std::fmt;

/// Rows of text, right-aligned except the first column.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(headings: &[&str]) -> Self {
        Table { rows: vec![headings.iter().map(|&h| h.to_owned()).collect()] }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| self.rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            for (c, cell) in row.iter().enumerate() {
                if c == 0 {
                    write!(f, "{cell:<w$}", w = widths[c])?;
                } else {
                    write!(f, "  {cell:>w$}", w = widths[c])?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
