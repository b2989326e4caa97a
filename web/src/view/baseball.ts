// The seam of a baseball: it shows how the ball turns in the hand.

import { CapsuleGeometry, CatmullRomCurve3, Group, InstancedMesh, Matrix4, Mesh, MeshStandardMaterial, Quaternion, TubeGeometry, Vector3 } from 'three';
import type { ObjectInfo } from '../protocol/messages';

/** Of each colour of sRGB, from 0 to 1; leather is a little yellow. */
const WHITE = 0.85;
const STITCHES = 108;
const UP = new Vector3(0, 1, 0);

/** By the rules of the game: white, and 229 to 235 mm around. A ball of another colour or size is just a ball. */
export function isBaseball({ shape, color }: Pick<ObjectInfo, 'shape' | 'color'>, radius: number): boolean {
  const around = 2 * Math.PI * radius;
  return shape === 'sphere' && around > 0.228 && around < 0.236 && Math.min(...color) > WHITE;
}

/** A closed curve on the unit sphere that parts it into two equal halves, as the covers of the ball do. */
function seamPoint(share: number): Vector3 {
  const t = share * 2 * Math.PI;
  const swing = 0.44;
  const polar = Math.PI / 2 - (Math.PI / 2 - swing) * Math.cos(t);
  const turn = t / 2 + swing * Math.sin(2 * t);
  // Twice around: the curve closes after 4π of its half angle.
  return new Vector3(Math.sin(polar) * Math.cos(turn), Math.sin(polar) * Math.sin(turn), Math.cos(polar));
}

export function baseballSeam(radius: number): Group {
  const points: Vector3[] = [];
  const samples = 240;
  for (let k = 0; k < samples; k++) points.push(seamPoint((2 * k) / samples).multiplyScalar(radius * 0.9985));
  const curve = new CatmullRomCurve3(points, true);
  const group = new Group();
  const groove = new Mesh(new TubeGeometry(curve, 320, radius * 0.012, 6, true), new MeshStandardMaterial({ color: '#cfc5b2', roughness: 0.8 }));
  groove.receiveShadow = true;
  group.add(groove, stitches(curve, radius));
  return group;
}

/** Pairs of short threads that meet at the seam like the strokes of a V. */
function stitches(curve: CatmullRomCurve3, radius: number): InstancedMesh {
  const thread = new CapsuleGeometry(radius * 0.016, radius * 0.085, 3, 6);
  const red = new MeshStandardMaterial({ color: '#b3261e', roughness: 0.65 });
  const mesh = new InstancedMesh(thread, red, STITCHES * 2);
  const matrix = new Matrix4();
  const turn = new Quaternion();
  const one = new Vector3(1, 1, 1);
  for (let k = 0; k < STITCHES; k++) {
    const at = curve.getPointAt(k / STITCHES);
    const along = curve.getTangentAt(k / STITCHES);
    const out = at.clone().normalize();
    const side = new Vector3().crossVectors(along, out).normalize();
    for (const hand of [1, -1]) {
      const direction = side.clone().multiplyScalar(hand).addScaledVector(along, 0.62).normalize();
      turn.setFromUnitVectors(UP, direction);
      const place = at.clone().addScaledVector(direction, radius * 0.06).setLength(radius * 1.002);
      mesh.setMatrixAt(k * 2 + (hand > 0 ? 0 : 1), matrix.compose(place, turn, one));
    }
  }
  return mesh;
}
