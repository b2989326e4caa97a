// Sixteen bones: the simulated ones as bone, the tracked ones as a ghost.

import { CapsuleGeometry, Color, InstancedMesh, LatheGeometry, Matrix4, MeshStandardMaterial, Quaternion, Vector2, Vector3, type BufferGeometry } from 'three';
import { BONES } from '../protocol/frame';
import type { SkeletonMesh } from '../protocol/mesh';

const PALM = 0;
/** Fifteen phalanges and five rays of the palm. */
const CAPACITY = BONES + 5;
const ALONG = new Vector3(0, 0, -1);
const UP = new Vector3(0, 1, 0);

export type SkeletonLook = 'bone' | 'ghost';

export class SkeletonView extends InstancedMesh {
  private readonly shapes: Float32Array;
  private readonly parents: Uint32Array;

  constructor(mesh: SkeletonMesh, look: SkeletonLook) {
    super(look === 'bone' ? boneGeometry() : new CapsuleGeometry(1, 1, 6, 14).scale(1, 0.42, 1), look === 'bone' ? boneMaterial() : ghostMaterial(), CAPACITY);
    this.shapes = new Float32Array(mesh.shapes);
    this.parents = new Uint32Array(mesh.parents);
    this.frustumCulled = false;
    this.castShadow = false;
    this.visible = false;
    this.renderOrder = look === 'bone' ? 1 : 2;
    this.thickness = look === 'bone' ? 0.62 : 0.9;
  }

  private readonly thickness: number;

  follow(frames: Float32Array): void {
    let count = 0;
    const start = new Vector3();
    const end = new Vector3();
    const turn = new Quaternion();
    for (let bone = 0; bone < BONES; bone++) {
      start.fromArray(frames, bone * 7);
      turn.fromArray(frames, bone * 7 + 3);
      const radius = this.shapes[bone * 2 + 1] ?? 0.005;
      if (bone !== PALM) {
        const length = this.shapes[bone * 2] ?? 0.02;
        end.copy(ALONG).applyQuaternion(turn).multiplyScalar(length).add(start);
        this.stretch(count++, start, end, radius);
        if (this.parents[bone] === PALM) {
          end.fromArray(frames, PALM * 7);
          this.stretch(count++, end, start, radius * 0.95);
        }
      }
    }
    this.count = count;
    this.instanceMatrix.needsUpdate = true;
  }

  /** Places the unit shape, which runs along +y from −½ to ½, between two points. */
  private stretch(slot: number, from: Vector3, to: Vector3, radius: number): void {
    const axis = to.clone().sub(from);
    const length = Math.max(axis.length(), 1e-4);
    const turn = new Quaternion().setFromUnitVectors(UP, axis.divideScalar(length));
    const middle = from.clone().add(to).multiplyScalar(0.5);
    const wide = radius * this.thickness;
    this.setMatrixAt(slot, new Matrix4().compose(middle, turn, new Vector3(wide, length, wide)));
  }
}

/** A shaft with two heads, of unit length and unit radius. */
function boneGeometry(): BufferGeometry {
  const profile: [number, number][] = [
    [0, -0.5],
    [0.62, -0.48],
    [0.95, -0.42],
    [0.9, -0.35],
    [0.6, -0.22],
    [0.48, 0],
    [0.52, 0.2],
    [0.72, 0.34],
    [0.8, 0.42],
    [0.55, 0.48],
    [0, 0.5],
  ];
  return new LatheGeometry(
    profile.map(([radius, height]) => new Vector2(radius, height)),
    18,
  );
}

function boneMaterial(): MeshStandardMaterial {
  return new MeshStandardMaterial({ color: new Color('#f3e9d2'), roughness: 0.55 });
}

function ghostMaterial(): MeshStandardMaterial {
  return new MeshStandardMaterial({ color: new Color('#4b8dff'), transparent: true, opacity: 0.42, depthWrite: false, roughness: 0.4, emissive: new Color('#1d4fb8'), emissiveIntensity: 0.35 });
}
