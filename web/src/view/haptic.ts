// A haptic device in the picture: where it is, its proxy, where its person wants it, and the force on that person.

import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, TorusGeometry, Vector3, type BufferGeometry, type Camera } from 'three';
import type { Haptic } from '../protocol/haptic';

export const FORCE_COLOUR = '#8b5cf6';
const DEVICE_COLOUR = '#8b5cf6';
const PROXY_COLOUR = '#f2a541';
const WISH_COLOUR = '#94a3b8';
const METRES_PER_NEWTON = 0.01;
/** Weaker forces have no arrow. */
const LEAST_NEWTONS = 0.05;
const UP = new Vector3(0, 1, 0);
const AHEAD = new Vector3(0, 0, 1);

export class HapticView extends Group {
  private readonly device = mark(new SphereGeometry(0.0045, 20, 14), DEVICE_COLOUR, 1, 9);
  private readonly proxy = mark(new SphereGeometry(0.0036, 20, 14), PROXY_COLOUR, 1, 12);
  /** A ring that faces the viewer, so that the device shows within it. */
  private readonly wish = mark(new TorusGeometry(0.0075, 0.0009, 8, 36), WISH_COLOUR, 0.95, 8);
  private readonly spring = mark(new CylinderGeometry(0.0008, 0.0008, 1, 8), WISH_COLOUR, 0.8, 7);
  private readonly coupling = mark(new CylinderGeometry(0.0014, 0.0014, 1, 8), PROXY_COLOUR, 0.9, 8);
  private readonly shaft = mark(new CylinderGeometry(0.0022, 0.0022, 1, 14).translate(0, 0.5, 0), FORCE_COLOUR, 0.95, 11);
  private readonly head = mark(new ConeGeometry(0.006, 0.014, 20).translate(0, 0.007, 0), FORCE_COLOUR, 0.95, 11);
  /** Length of the arrow in the picture, metres. */
  arrowLength = 0;

  constructor() {
    super();
    this.visible = false;
    this.add(this.spring, this.wish, this.coupling, this.device, this.proxy, this.shaft, this.head);
  }

  follow(haptic: Haptic | undefined): void {
    this.visible = haptic !== undefined;
    this.arrowLength = 0;
    if (!haptic) return;
    this.device.position.fromArray(haptic.device);
    this.proxy.position.fromArray(haptic.proxy);
    this.wish.position.fromArray(haptic.wish);
    this.wish.visible = this.proxy.visible = haptic.present;
    span(this.spring, this.device.position, this.wish.position, haptic.present);
    span(this.coupling, this.device.position, this.proxy.position, haptic.present);
    (this.device.material as MeshBasicMaterial).opacity = haptic.present ? 1 : 0.45;
    this.point(new Vector3().fromArray(haptic.force));
  }

  private point(force: Vector3): void {
    const newtons = force.length();
    const shown = newtons >= LEAST_NEWTONS;
    this.shaft.visible = this.head.visible = shown;
    if (!shown) return;
    const direction = force.divideScalar(newtons);
    this.arrowLength = newtons * METRES_PER_NEWTON;
    for (const part of [this.shaft, this.head]) {
      part.quaternion.setFromUnitVectors(UP, direction);
      part.position.copy(this.device.position);
    }
    this.shaft.scale.y = this.arrowLength;
    this.head.position.addScaledVector(direction, this.arrowLength);
  }

  /** Where the device is. */
  get place(): Vector3 | undefined {
    return this.visible ? this.device.position : undefined;
  }

  /** Turns what faces the viewer. */
  face(camera: Camera): void {
    this.wish.quaternion.setFromUnitVectors(AHEAD, camera.position.clone().sub(this.wish.position).normalize());
  }
}

/** Shows through the skin: handles are inside of the hand. */
function mark(geometry: BufferGeometry, colour: string, opacity: number, order: number): Mesh {
  const mesh = new Mesh(geometry, new MeshBasicMaterial({ color: colour, toneMapped: false, depthTest: false, transparent: true, opacity }));
  mesh.frustumCulled = false;
  mesh.renderOrder = order;
  return mesh;
}

/** Lays a bar of unit length from one place to another. */
function span(bar: Mesh, from: Vector3, to: Vector3, shown: boolean): void {
  const along = to.clone().sub(from);
  const length = along.length();
  bar.visible = shown && length > 1e-5;
  if (!bar.visible) return;
  bar.position.copy(from).addScaledVector(along, 0.5);
  bar.quaternion.copy(new Quaternion().setFromUnitVectors(UP, along.divideScalar(length)));
  bar.scale.y = length;
}
