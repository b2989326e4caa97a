// A sleeve: it hides where the simulated hand is cut off, and fades out behind it.

import { BufferAttribute, BufferGeometry, CircleGeometry, Color, DoubleSide, Matrix4, Mesh, MeshStandardMaterial, Vector3 } from 'three';

const AROUND = 40;
/** Distance from the skin, metres. */
const SLACK = 0.0022;
const CLOTH = new Color('#454e5e');
/** Along the forearm from the rim of the cuff (metres) and width there, in terms of the wrist's; alpha. */
const PROFILE: readonly (readonly [number, number, number])[] = [
  [0.004, 0.965, 1],
  [0.0008, 0.99, 1],
  [0, 1.02, 1],
  [0.0012, 1.045, 1],
  [0.004, 1.055, 1],
  [0.0165, 1.05, 1],
  [0.0178, 1.025, 1],
  [0.0192, 1.03, 1],
  [0.03, 1.055, 1],
  [0.05, 1.08, 0.72],
  [0.07, 1.11, 0.3],
  [0.09, 1.14, 0],
];

/** The outline of the forearm in the frame of the wrist, whose z points away from the fingers. */
export interface Outline {
  centreX: number;
  centreY: number;
  halfX: number;
  halfY: number;
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
  if (rim.length === 0) return { centreX: 0, centreY: 0, halfX: 0.03, halfY: 0.022, cut: 0.028 };
  return { centreX: (low.x + high.x) / 2, centreY: (low.y + high.y) / 2, halfX: (high.x - low.x) / 2, halfY: (high.y - low.y) / 2, cut };
}

export class Sleeve extends Mesh<BufferGeometry, MeshStandardMaterial> {
  constructor(outline: Outline) {
    super(sleeveGeometry(outline), new MeshStandardMaterial({ color: CLOTH, roughness: 0.92, vertexColors: true, transparent: true, side: DoubleSide }));
    const cap = new Mesh(new CircleGeometry(1, AROUND), new MeshStandardMaterial({ color: CLOTH, roughness: 1 }));
    cap.position.set(outline.centreX, outline.centreY, outline.cut + 0.001);
    cap.scale.set(outline.halfX * 1.02, outline.halfY * 1.02, 1);
    this.add(cap);
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

function sleeveGeometry({ centreX, centreY, halfX, halfY, cut }: Outline): BufferGeometry {
  const positions: number[] = [];
  const colours: number[] = [];
  const indices: number[] = [];
  PROFILE.forEach(([along, width, alpha], ring) => {
    for (let k = 0; k < AROUND; k++) {
      const angle = (k / AROUND) * 2 * Math.PI;
      positions.push(centreX + Math.cos(angle) * (halfX + SLACK) * width, centreY + Math.sin(angle) * (halfY + SLACK) * width, cut * 0.5 + along);
      colours.push(1, 1, 1, alpha);
      if (ring === 0) continue;
      const next = (k + 1) % AROUND;
      const [a, b, c, d] = [(ring - 1) * AROUND + k, (ring - 1) * AROUND + next, ring * AROUND + k, ring * AROUND + next];
      indices.push(a, b, c, b, d, c);
    }
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('color', new BufferAttribute(new Float32Array(colours), 4));
  geometry.setIndex(indices);
  geometry.computeVertexNormals();
  return geometry;
}
