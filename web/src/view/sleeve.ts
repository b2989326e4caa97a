// A sleeve: it hides where the simulated hand is cut off, and ends in a round hem, so that it looks like cloth from behind too.

import { BufferAttribute, BufferGeometry, Color, DoubleSide, Matrix4, Mesh, MeshStandardMaterial, Vector3 } from 'three';

const AROUND = 48;
const EVENINGS = 6;
/** Distance from the skin, metres. */
const SLACK = 0.0022;
const CUFF = new Color('#e9e2d6');
const CLOTH = new Color('#66799a');
/** Where the stitched seam of the cuff lies in shade. */
const SEAM = new Color('#4d5c78');
/** Along the forearm from the rim of the cuff (metres), width there in terms of the wrist's, and colour. */
const PROFILE: readonly (readonly [number, number, Color])[] = [
  [0.004, 0.965, CUFF],
  [0.0008, 0.99, CUFF],
  [0, 1.02, CUFF],
  [0.0012, 1.045, CUFF],
  [0.004, 1.055, CUFF],
  [0.0165, 1.05, CUFF],
  [0.0176, 1.03, CUFF],
  [0.0176, 1.03, SEAM],
  [0.019, 1.035, SEAM],
  [0.0205, 1.055, CLOTH],
  [0.03, 1.065, CLOTH],
  [0.045, 1.08, CLOTH],
  [0.056, 1.085, CLOTH],
  [0.0625, 1.06, CLOTH],
  [0.0675, 0.985, CLOTH],
  [0.0708, 0.86, CLOTH],
  [0.0728, 0.66, CLOTH],
  [0.0738, 0.4, CLOTH],
  [0.0741, 0.12, CLOTH],
  [0.0741, 0, CLOTH],
];

/** The outline of the forearm in the frame of the wrist, whose z points away from the fingers. */
export interface Outline {
  centreX: number;
  centreY: number;
  /** Distance of the skin from the centre, all around from x over y. */
  radii: Float32Array;
  /** How far behind the wrist the skin ends. */
  cut: number;
}

/** Measures the skin near its cut; `toWrist` brings the skin's vertices into the frame of the wrist. */
export function outlineOf(positions: Float32Array, toWrist: Matrix4): Outline {
  const points: Vector3[] = [];
  for (let k = 0; k + 2 < positions.length; k += 3) points.push(new Vector3().fromArray(positions, k).applyMatrix4(toWrist));
  const cut = points.reduce((most, point) => Math.max(most, point.z), 0);
  const rim = points.filter((point) => point.z > cut * 0.45);
  const low = new Vector3(Infinity, Infinity, 0);
  const high = new Vector3(-Infinity, -Infinity, 0);
  for (const point of rim) {
    low.min(point);
    high.max(point);
  }
  if (rim.length === 0) return { centreX: 0, centreY: 0, radii: new Float32Array(AROUND).fill(0.027), cut: 0.028 };
  const centreX = (low.x + high.x) / 2;
  const centreY = (low.y + high.y) / 2;
  const radii = new Float32Array(AROUND);
  for (const { x, y } of rim) {
    const turn = (Math.atan2(y - centreY, x - centreX) / (2 * Math.PI) + 1) * AROUND;
    // A point widens what lies beside it too, as cloth does.
    for (const side of [-1, 0, 1]) {
      const at = (Math.round(turn) + side) % AROUND;
      radii[at] = Math.max(radii[at] as number, Math.hypot(x - centreX, y - centreY));
    }
  }
  return { centreX, centreY, radii: evened(radii), cut };
}

/** Without corners, and without holes where the skin has no point. */
function evened(radii: Float32Array): Float32Array {
  let now = radii;
  for (let time = 0; time < EVENINGS; time++) {
    now = now.map((radius, k) => {
      const before = now[(k + AROUND - 1) % AROUND] as number;
      const after = now[(k + 1) % AROUND] as number;
      return Math.max(radius, radius > 0 ? 0.25 * (before + after) + 0.5 * radius : Math.max(before, after));
    });
  }
  return now;
}

export class Sleeve extends Mesh<BufferGeometry, MeshStandardMaterial> {
  constructor(outline: Outline) {
    super(sleeveGeometry(outline), new MeshStandardMaterial({ roughness: 0.9, vertexColors: true, side: DoubleSide }));
    this.castShadow = true;
    this.receiveShadow = true;
    this.matrixAutoUpdate = false;
    this.frustumCulled = false;
  }

  follow(wrist: Matrix4): void {
    this.matrix.copy(wrist);
    this.matrixWorldNeedsUpdate = true;
  }
}

function sleeveGeometry({ centreX, centreY, radii, cut }: Outline): BufferGeometry {
  const positions: number[] = [];
  const colours: number[] = [];
  const indices: number[] = [];
  PROFILE.forEach(([along, width, colour], ring) => {
    for (let k = 0; k < AROUND; k++) {
      const angle = (k / AROUND) * 2 * Math.PI;
      const reach = ((radii[k] as number) + SLACK) * width;
      positions.push(centreX + Math.cos(angle) * reach, centreY + Math.sin(angle) * reach, cut * 0.5 + along);
      colours.push(colour.r, colour.g, colour.b);
      if (ring === 0) continue;
      const next = (k + 1) % AROUND;
      const [a, b, c, d] = [(ring - 1) * AROUND + k, (ring - 1) * AROUND + next, ring * AROUND + k, ring * AROUND + next];
      indices.push(a, b, c, b, d, c);
    }
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('color', new BufferAttribute(new Float32Array(colours), 3));
  geometry.setIndex(indices);
  geometry.computeVertexNormals();
  return geometry;
}
