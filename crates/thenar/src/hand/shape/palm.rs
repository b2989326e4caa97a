//! Palm and wrist: one loft whose rounded end makes the webs between the fingers.

use super::blend::{Bound, smooth_min};
use super::proportions as p;
use super::section::{Profile, Section};
use crate::hand::rest_pose::DigitChain;
use crate::hand::{Digit, PalmAnatomy};
use crate::math::{Mat3, Vec3};

/// A parabola `a + b x + c x²`.
#[derive(Clone, Copy, Debug)]
pub struct Parabola([f64; 3]);

impl Parabola {
    /// The least-squares parabola through points (x, y).
    fn fit(points: &[[f64; 2]]) -> Parabola {
        let (mut normal, mut right) = (Mat3::ZERO, Vec3::ZERO);
        for &[x, y] in points {
            let powers = Vec3::new(1.0, x, x * x);
            normal += Mat3::from_cols(powers * powers.x, powers * powers.y, powers * powers.z);
            right += powers * y;
        }
        Parabola((normal.inverse() * right).to_array())
    }

    fn at(&self, x: f64) -> f64 {
        let [a, b, c] = self.0;
        a + x * (b + x * c)
    }
}

/// The palm, in units of the shape.
#[derive(Clone, Debug)]
pub struct PalmShape {
    /// Radial and ulnar edge, dorsal and palmar height, arch, squareness over `t`.
    profile: Profile<6>,
    /// Distance from the wrist to the arc of the knuckles, and to the webs, over x.
    knuckles: Parabola,
    webs: Parabola,
    /// Beyond the outer knuckles the two arcs stay level.
    level: [f64; 2],
    bound: Bound,
}

impl PalmShape {
    /// From the anatomy and the digits' chains in metres.
    pub fn new(anatomy: &PalmAnatomy, chains: &[DigitChain; 5], unit: f64) -> PalmShape {
        let fingers = Digit::FINGERS.map(|d| chains[d.index()].frames.clone());
        let mcp = fingers.each_ref().map(|f| f[1].position / unit);
        let pip = fingers.each_ref().map(|f| f[2].position / unit);
        let plan = |v: Vec3| [v.x, -v.z];
        let on_finger = |i: usize| mcp[i].lerp(pip[i], anatomy.web_height);
        let webs: Vec<[f64; 2]> = (0..3).map(|i| plan(0.5 * (on_finger(i) + on_finger(i + 1)))).collect();

        let factors = RowFactors::new(anatomy, [mcp[0].x, mcp[3].x], unit);
        let keys = p::PALM.iter().map(|r| r.t).collect();
        let rows: Vec<[f64; 6]> = p::PALM.iter().map(|r| factors.apply(r)).collect();
        let reach = rows.iter().flat_map(|r| r[..4].iter()).fold(0.0, |m: f64, v| m.max(v.abs()));
        let farthest = mcp.iter().map(|v| -v.z).fold(0.0, f64::max);
        let (back, front) = (Vec3::new(0.0, 0.0, p::STUB), Vec3::new(0.0, 0.0, -farthest));
        PalmShape {
            profile: Profile::new(keys, rows),
            knuckles: Parabola::fit(&mcp.map(plan)),
            webs: Parabola::fit(&webs),
            level: [mcp[0].x - 13.0, mcp[3].x + 11.0],
            bound: Bound::around(back, front, [(back, reach), (front, reach)]),
        }
    }

    /// A number no greater than the distance to the palm.
    pub fn bound(&self, q: Vec3) -> f64 {
        self.bound.distance(q)
    }

    /// Estimate of the distance to the palm, negative inside.
    pub fn distance(&self, q: Vec3) -> f64 {
        let x = q.x.clamp(self.level[0], self.level[1]);
        let t = -q.z / self.knuckles.at(x);
        let [radial, ulnar, dorsal, palmar, arch, squareness] = self.profile.at(t);
        let (width, u) = (0.5 * (ulnar - radial), q.x - 0.5 * (radial + ulnar));
        let across = u / width;
        let reach = self.webs.at(x) + p::WEB_REACH[0] + p::WEB_REACH[1] * across * across;
        // 0 where the rounded end begins, 1 at the web.
        let end = (-q.z - reach + p::WEB_END).max(0.0) / p::WEB_END;
        let drop = end.min(1.2);
        let v = q.y + p::WEB_DROP * drop * drop + arch * u * u;
        let height = if v > 0.0 { dorsal } else { palmar };
        let section = Section { half: [width, height, p::WEB_END], squareness };
        let loft = section.distance(u, v, end * p::WEB_END);
        // Cut the forearm.
        -smooth_min(-loft, p::STUB - q.z, p::STUB_ROUNDING)
    }

    /// How far beyond the line of the webs a point lies, towards the fingertips.
    pub fn past_webs(&self, q: Vec3) -> f64 {
        -q.z - self.webs.at(q.x.clamp(self.level[0], self.level[1]))
    }

    /// Coordinates in plan: across (-1 radial edge to 1 ulnar edge) and along (0 wrist, 1 knuckles).
    pub fn plan_coordinates(&self, q: Vec3) -> [f64; 2] {
        let t = -q.z / self.knuckles.at(q.x.clamp(self.level[0], self.level[1]));
        let [radial, ulnar, ..] = self.profile.at(t);
        [(q.x - 0.5 * (radial + ulnar)) / (0.5 * (ulnar - radial)), t]
    }

    /// The point (x, z) at plan coordinates.
    pub fn plan_point(&self, [across, t]: [f64; 2]) -> [f64; 2] {
        let [radial, ulnar, ..] = self.profile.at(t);
        let x = 0.5 * (radial + ulnar) + across * 0.5 * (ulnar - radial);
        [x, -t * self.knuckles.at(x.clamp(self.level[0], self.level[1]))]
    }
}

/// What the drawn rows are multiplied by: one set at the wrist, one at the knuckles, linear between.
struct RowFactors {
    radial: [f64; 2],
    ulnar: [f64; 2],
    thickness: [f64; 2],
}

impl RowFactors {
    fn new(anatomy: &PalmAnatomy, knuckles_x: [f64; 2], unit: f64) -> RowFactors {
        let (wrist, knuckle, middle) = (&p::PALM[p::WRIST_ROW], &p::PALM[p::KNUCKLE_ROW], &p::PALM[p::METACARPAL_ROW]);
        let wrist_breadth = anatomy.wrist_breadth / unit / (wrist.ulnar - wrist.radial);
        // The edges stand off the outer knuckles by flesh that grows with what the breadth leaves for it.
        let adult_flesh = p::ADULT_BREADTH - (p::ADULT_KNUCKLES_X[1] - p::ADULT_KNUCKLES_X[0]);
        let flesh = (anatomy.breadth / unit - (knuckles_x[1] - knuckles_x[0])) / adult_flesh;
        let flesh = flesh.clamp(0.5, 2.0);
        let radial = knuckles_x[0] + flesh * (knuckle.radial - p::ADULT_KNUCKLES_X[0]);
        let ulnar = knuckles_x[1] + flesh * (knuckle.ulnar - p::ADULT_KNUCKLES_X[1]);
        RowFactors {
            radial: [wrist_breadth, radial / knuckle.radial],
            ulnar: [wrist_breadth, ulnar / knuckle.ulnar],
            thickness: [
                anatomy.wrist_thickness / unit / (wrist.dorsal + wrist.palmar),
                anatomy.thickness / unit / (middle.dorsal + middle.palmar),
            ],
        }
    }

    fn apply(&self, row: &p::PalmRow) -> [f64; 6] {
        let t = row.t.clamp(0.0, 1.0);
        let mix = |[a, b]: [f64; 2]| a + t * (b - a);
        let (radial, ulnar, thickness) = (mix(self.radial), mix(self.ulnar), mix(self.thickness));
        let breadth = 0.5 * (radial + ulnar);
        [
            row.radial * radial,
            row.ulnar * ulnar,
            row.dorsal * thickness,
            row.palmar * thickness,
            row.arch * thickness / (breadth * breadth),
            row.squareness,
        ]
    }
}
