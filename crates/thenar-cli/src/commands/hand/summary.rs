//! The figures of a hand, as JSON for programs and as text for people.

use serde::Serialize;
use std::fmt;
use std::time::Duration;
use thenar::hand::{FitReport, HandReport};
use thenar_scene::formats::webxr_name;

/// What `thenar hand --json` prints. The names of the fields are a contract; [`HandReport`] says what they mean.
#[derive(Debug, Serialize)]
pub struct Summary {
    side: &'static str,
    skin_triangles: usize,
    tets: usize,
    nodes: usize,
    bones: usize,
    min_dihedral_deg: f64,
    max_dihedral_deg: f64,
    worst_aspect: f64,
    volume_cm3: f64,
    volume_ratio: f64,
    embedded_fraction: f64,
    euler: i64,
    web_mm: [f64; 4],
    contact_vertices: usize,
    build_ms: f64,
    mass_g: f64,
    /// Only with `--fit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fit: Option<FitSummary>,
}

/// How well a hand fits the tracked frame it was made for.
#[derive(Debug, Serialize)]
struct FitSummary {
    /// Size relative to the preset.
    scale: f64,
    /// Greatest distance between a joint of the frame and the fitted hand.
    worst_mm: f64,
    /// Joints that were not used, and why.
    unused: Vec<String>,
}

impl From<&FitReport> for FitSummary {
    fn from(report: &FitReport) -> Self {
        let unused = report.unused.iter().map(|(joint, why)| format!("{}: {why}", webxr_name(*joint))).collect();
        FitSummary { scale: report.scale, worst_mm: report.worst() * 1e3, unused }
    }
}

impl Summary {
    /// The figures of a hand that took that long to build, perhaps to fit a frame.
    pub fn new(report: &HandReport, time: Duration, fit: Option<&FitReport>) -> Self {
        Summary {
            side: report.side.name(),
            skin_triangles: report.skin_triangles,
            tets: report.tets,
            nodes: report.nodes,
            bones: report.bones,
            min_dihedral_deg: report.min_dihedral_deg,
            max_dihedral_deg: report.max_dihedral_deg,
            worst_aspect: report.worst_aspect,
            volume_cm3: report.volume_cm3,
            volume_ratio: report.volume_ratio,
            embedded_fraction: report.embedded_fraction,
            euler: report.euler,
            web_mm: report.web_mm,
            contact_vertices: report.contact_vertices,
            build_ms: time.as_secs_f64() * 1e3,
            mass_g: report.mass_g,
            fit: fit.map(FitSummary::from),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [thumb, index, middle, ring] = self.web_mm;
        writeln!(f, "A {} hand, built in {:.0} ms", self.side, self.build_ms)?;
        writeln!(
            f,
            "  skin      {} triangles, {} of its vertices feel contact",
            self.skin_triangles, self.contact_vertices
        )?;
        writeln!(f, "  skeleton  {} bones", self.bones)?;
        writeln!(f, "  tissue    {} tetrahedra, {} nodes", self.tets, self.nodes)?;
        writeln!(f, "            dihedral angles {:.1}° to {:.1}°", self.min_dihedral_deg, self.max_dihedral_deg)?;
        writeln!(f, "            carries {:.2} % of the skin's vertices", self.embedded_fraction * 100.0)?;
        writeln!(f, "            webs {thumb:.0}, {index:.0}, {middle:.0} and {ring:.0} mm beyond the knuckles")?;
        write!(f, "  volume    {:.0} cm³, {:.0} g", self.volume_cm3, self.mass_g)?;
        if let Some(fit) = &self.fit {
            write!(f, "\n  fit       {:.2} times the preset, joints within {:.2} mm", fit.scale, fit.worst_mm)?;
            for joint in &fit.unused {
                write!(f, "\n            not used: {joint}")?;
            }
        }
        Ok(())
    }
}
