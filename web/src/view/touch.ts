// Contact points as discs on the skin, and one arrow per digit for the force it takes.

import { Color, ConeGeometry, CylinderGeometry, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3, type BufferGeometry } from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import { DIGITS, type Contact } from '../protocol/frame';

const CAPACITY = 1024;
const UP = new Vector3(0, 1, 0);
const METRES_PER_NEWTON = 0.005;
const LONGEST_METRES = 0.09;

/** Thumb to little finger, then the palm; the plots use the same colours. */
export const DIGIT_COLOURS = ['#e4572e', '#f2a541', '#3fa796', '#3b82f6', '#8b5cf6', '#94a3b8'] as const;

export class ContactDiscs extends InstancedMesh {
  constructor() {
    super(new CylinderGeometry(1, 1, 0.25, 16), new MeshBasicMaterial({ toneMapped: false, depthTest: false, transparent: true, opacity: 0.92 }), CAPACITY);
    this.frustumCulled = false;
    this.visible = false;
    this.renderOrder = 5;
    this.count = 0;
  }

  follow(contacts: Iterable<Contact>): void {
    const matrix = new Matrix4();
    const turn = new Quaternion();
    const place = new Vector3();
    const normal = new Vector3();
    const size = new Vector3();
    const colour = new Color();
    let count = 0;
    for (const contact of contacts) {
      if (count >= CAPACITY) break;
      const newtons = Math.hypot(...contact.force);
      size.setScalar(0.0009 + 0.0016 * Math.min(Math.sqrt(newtons), 1.5));
      turn.setFromUnitVectors(UP, normal.fromArray(contact.normal).normalize());
      this.setMatrixAt(count, matrix.compose(place.fromArray(contact.point), turn, size));
      this.setColorAt(count, contact.slipping ? colour.set('#ffffff') : colour.set(digitColour(contact.digit)));
      count++;
    }
    this.count = count;
    this.instanceMatrix.needsUpdate = true;
    if (this.instanceColor) this.instanceColor.needsUpdate = true;
  }
}

export class ForceArrows extends Group {
  private readonly shafts = arrows(new CylinderGeometry(0.5, 0.5, 1, 12).translate(0, 0.5, 0));
  private readonly heads = arrows(mergeGeometries([new ConeGeometry(1.35, 3.2, 18).translate(0, 1.6, 0)]));

  constructor() {
    super();
    this.visible = false;
    this.add(this.shafts, this.heads);
  }

  follow(contacts: Iterable<Contact>): void {
    const sums = new Map<number, { force: Vector3; at: Vector3; weight: number }>();
    for (const contact of contacts) {
      const force = new Vector3().fromArray(contact.force);
      const weight = force.length();
      const sum = sums.get(contact.digit) ?? { force: new Vector3(), at: new Vector3(), weight: 0 };
      sum.force.add(force);
      sum.at.addScaledVector(new Vector3().fromArray(contact.point), weight);
      sum.weight += weight;
      sums.set(contact.digit, sum);
    }
    let count = 0;
    for (const [digit, sum] of sums) {
      const newtons = sum.force.length();
      if (newtons < 0.05 || sum.weight <= 0 || count >= DIGITS * 2) continue;
      this.place(count++, sum.at.divideScalar(sum.weight), sum.force.divideScalar(newtons), newtons, digitColour(digit));
    }
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = count;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  private place(slot: number, at: Vector3, direction: Vector3, newtons: number, colour: string): void {
    const turn = new Quaternion().setFromUnitVectors(UP, direction);
    const width = 0.0026;
    const length = Math.min(newtons * METRES_PER_NEWTON, LONGEST_METRES);
    this.shafts.setMatrixAt(slot, new Matrix4().compose(at, turn, new Vector3(width, length, width)));
    const tip = at.clone().addScaledVector(direction, length);
    this.heads.setMatrixAt(slot, new Matrix4().compose(tip, turn, new Vector3(width, width, width)));
    this.shafts.setColorAt(slot, new Color(colour));
    this.heads.setColorAt(slot, new Color(colour));
  }
}

function arrows(geometry: BufferGeometry): InstancedMesh {
  const mesh = new InstancedMesh(geometry, new MeshBasicMaterial({ toneMapped: false, depthTest: false, transparent: true, opacity: 0.95 }), DIGITS * 2);
  mesh.frustumCulled = false;
  mesh.renderOrder = 6;
  mesh.count = 0;
  return mesh;
}

export function digitColour(digit: number): string {
  return DIGIT_COLOURS[digit] ?? DIGIT_COLOURS[5];
}
