//! The table of a scene that is run in several cases.

use super::result::RunResult;
use serde::Serialize;
use std::fmt;

/// What `thenar run` prints for a scene with cases.
#[derive(Serialize)]
pub struct CasesResult {
    scene: String,
    passed: bool,
    held: usize,
    cases: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    case: String,
    #[serde(flatten)]
    result: RunResult,
}

impl CasesResult {
    pub fn new(scene: &str) -> CasesResult {
        CasesResult { scene: scene.to_owned(), passed: true, held: 0, cases: Vec::new() }
    }

    /// Takes the figures of one case.
    pub fn push(&mut self, case: String, result: RunResult) {
        self.passed &= result.passed();
        self.held += usize::from(result.passed());
        self.cases.push(Row { case, result });
    }
}

impl fmt::Display for CasesResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.passed { "passed" } else { "FAILED" };
        writeln!(f, "{} {verdict}: {} of {} cases hold", self.scene, self.held, self.cases.len())?;
        let width = self.cases.iter().map(|row| row.case.len()).max().unwrap_or(0).max(4);
        let names: Vec<&str> = self.cases.first().map_or(Vec::new(), |row| row.result.check_names());
        let bounds: Vec<String> = self.cases.first().map_or(Vec::new(), |row| row.result.check_limits());
        let columns: Vec<usize> =
            names.iter().zip(&bounds).map(|(name, bound)| name.chars().count().max(bound.chars().count())).collect();
        let line = |cells: &[String]| -> String {
            cells.iter().zip(&columns).map(|(cell, &column)| format!("  {cell:>column$}")).collect()
        };
        let titles: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        writeln!(f, "       {:width$}{}", "case", line(&titles))?;
        writeln!(f, "       {:width$}{}", "", line(&bounds))?;
        for row in &self.cases {
            let mark = if row.result.passed() { "ok  " } else { "FAIL" };
            writeln!(f, "  {mark} {:width$}{}", row.case, line(&row.result.check_values()))?;
        }
        let slowest = self.cases.iter().map(|row| row.result.median_ms()).fold(0.0, f64::max);
        write!(f, "step: median at most {slowest:.3} ms")
    }
}
