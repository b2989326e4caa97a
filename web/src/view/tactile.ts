// Discs of a tactile device on the fingertips: disc and legs, and the pad's samples, red where they touch and blue where not.

import { Color, CylinderGeometry, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3, type BufferGeometry } from 'three';
import type { FingerTouch, Tactile } from '../protocol/frame';

const FINGERS = 5;
const SAMPLES = 640;
const LEGS = 16;
const UP = new Vector3(0, 1, 0);
/** Samples nearer than this touch, metres. */
const TOUCHING = 1e-4;
const TOUCHING_COLOUR = new Color('#e0382c');
const FREE_COLOUR = new Color('#2f6fe0');
const DISC_COLOUR = '#e879b0';
const PRESSED_COLOUR = '#c026d3';
const LEG_COLOUR = '#64748b';

export class TactileView extends Group {
  private readonly samples = marks(new SphereGeometry(1, 8, 6), SAMPLES, 1, 7);
  private readonly discs = marks(new CylinderGeometry(1, 1, 1, 40), FINGERS, 0.6, 6);
  private readonly legs = marks(new CylinderGeometry(1, 1, 1, 8), FINGERS * LEGS, 0.9, 6);

  constructor() {
    super();
    this.visible = false;
    this.add(this.discs, this.legs, this.samples);
  }

  follow(tactile: Tactile): void {
    let samples = 0;
    let legs = 0;
    tactile.fingers.slice(0, FINGERS).forEach((finger, slot) => {
      const pad = new Matrix4().compose(new Vector3().fromArray(finger.pad), new Quaternion().fromArray(finger.pad, 3), new Vector3(1, 1, 1));
      const disc = discPlace(finger);
      this.placeDisc(slot, pad, disc, finger, tactile.radius);
      for (let k = 0; k + 2 < tactile.base.length && k < LEGS * 3; k += 3) {
        const from = new Vector3().fromArray(tactile.base, k).applyMatrix4(pad);
        const to = new Vector3().fromArray(tactile.platform, k).applyMatrix4(disc).applyMatrix4(pad);
        this.legs.setMatrixAt(legs, between(from, to, 0.0004));
        this.legs.setColorAt(legs++, new Color(LEG_COLOUR));
      }
      samples = this.placeSamples(finger, samples);
    });
    commit(this.discs, Math.min(tactile.fingers.length, FINGERS));
    commit(this.legs, legs);
    commit(this.samples, samples);
  }

  private placeDisc(slot: number, pad: Matrix4, disc: Matrix4, finger: FingerTouch, radius: number): void {
    const size = new Matrix4().makeScale(radius, 0.0006, radius);
    this.discs.setMatrixAt(slot, pad.clone().multiply(disc).multiply(size));
    const pressed = Math.min(Math.max(finger.displacement / 0.002, 0), 1);
    this.discs.setColorAt(slot, new Color(DISC_COLOUR).lerp(new Color(PRESSED_COLOUR), pressed));
  }

  private placeSamples(finger: FingerTouch, from: number): number {
    const matrix = new Matrix4();
    let count = from;
    for (let k = 0; k + 3 < finger.samples.length && count < SAMPLES; k += 4) {
      const touches = (finger.samples[k + 3] ?? 1) <= TOUCHING;
      const size = touches ? 0.00042 : 0.0003;
      this.samples.setMatrixAt(count, matrix.makeScale(size, size, size).setPosition(finger.samples[k] ?? 0, finger.samples[k + 1] ?? 0, finger.samples[k + 2] ?? 0));
      this.samples.setColorAt(count++, touches ? TOUCHING_COLOUR : FREE_COLOUR);
    }
    return count;
  }
}

/** The disc's frame in the pad's: the plane y = displacement + tan(roll) x − tan(pitch) z. */
export function discPlace(finger: Pick<FingerTouch, 'displacement' | 'pitch' | 'roll'>): Matrix4 {
  const normal = new Vector3(-Math.tan(finger.roll), 1, Math.tan(finger.pitch)).normalize();
  const turn = new Quaternion().setFromUnitVectors(UP, normal);
  return new Matrix4().compose(new Vector3(0, finger.displacement, 0), turn, new Vector3(1, 1, 1));
}

function between(from: Vector3, to: Vector3, width: number): Matrix4 {
  const along = to.clone().sub(from);
  const length = Math.max(along.length(), 1e-9);
  const turn = new Quaternion().setFromUnitVectors(UP, along.divideScalar(length));
  return new Matrix4().compose(from.lerp(to, 0.5), turn, new Vector3(width, length, width));
}

/** Marks that show through the skin, or nothing of a pad that touches could be seen. */
function marks(geometry: BufferGeometry, capacity: number, opacity: number, order: number): InstancedMesh {
  const mesh = new InstancedMesh(geometry, new MeshBasicMaterial({ toneMapped: false, depthTest: false, transparent: true, opacity }), capacity);
  mesh.frustumCulled = false;
  mesh.renderOrder = order;
  mesh.count = 0;
  return mesh;
}

function commit(mesh: InstancedMesh, count: number): void {
  mesh.count = count;
  mesh.instanceMatrix.needsUpdate = true;
  if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
}
