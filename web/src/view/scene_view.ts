// Everything of one scene: hands, objects, and what is shown of them.

import { Group, Mesh as ThreeMesh, type BufferGeometry, type Material } from 'three';
import type { Frame } from '../protocol/frame';
import { isSkeleton, MESH_RIGID, MESH_SOFT, type Mesh } from '../protocol/mesh';
import type { SceneMessage } from '../protocol/messages';
import { ContactShadow } from './contact_shadow';
import { halfSpot, type Extent } from './extents';
import { Ground } from './ground';
import { HandView } from './hand_view';
import { HapticView } from './haptic';
import { RigidObject, SoftObject } from './object';
import type { Quality } from './quality';
import type { Shown } from './shown';

export class SceneView extends Group {
  readonly hands: HandView[];
  readonly rigid = new Map<number, RigidObject>();
  readonly soft = new Map<number, SoftObject>();
  private readonly spots = new Map<number, ContactShadow>();
  readonly ground: Ground;
  readonly haptic = new HapticView();
  framesSeen = 0;

  constructor(
    readonly message: SceneMessage,
    private readonly quality: Quality,
    shown: Shown,
  ) {
    super();
    this.ground = new Ground(message.supports ?? []);
    this.hands = message.hands.map((info) => new HandView(info, quality, shown));
    this.hands.forEach((hand) => this.add(hand));
    this.add(this.haptic);
  }

  take(mesh: Mesh): void {
    if (!isSkeleton(mesh) && (mesh.what === MESH_RIGID || mesh.what === MESH_SOFT)) {
      const info = this.message.objects.find((object) => object.index === mesh.index);
      if (!info) return;
      if (mesh.what === MESH_SOFT) {
        const object = new SoftObject(info, mesh, this.quality);
        this.soft.set(mesh.index, object);
        this.add(object);
      } else {
        this.takeRigid(new RigidObject(info, mesh, this.quality));
      }
    } else {
      this.hands.find((hand) => hand.info.index === mesh.index)?.take(mesh);
    }
  }

  private takeRigid(object: RigidObject): void {
    this.rigid.set(object.info.index, object);
    this.add(object);
    if (!object.info.fixed) {
      const spot = new ContactShadow(0.62);
      this.spots.set(object.info.index, spot);
      this.add(spot);
    }
  }

  show(shown: Shown): void {
    for (const hand of this.hands) hand.show(shown);
  }

  follow(frame: Frame): void {
    this.framesSeen++;
    this.placeObjects(frame);
    for (const [index, data] of frame.soft) this.soft.get(index)?.follow(data);
    for (const hand of this.hands) hand.follow(frame, this.ground);
    this.haptic.follow(frame.haptic);
  }

  private placeObjects(frame: Frame): void {
    const { objects } = frame;
    if (!objects) return;
    for (const [index, object] of this.rigid) {
      if ((index + 1) * 7 > objects.length) continue;
      object.position.fromArray(objects, index * 7);
      object.quaternion.fromArray(objects, index * 7 + 3);
    }
    for (const [index, spot] of this.spots) {
      const object = this.rigid.get(index);
      if (!object) continue;
      const half = object.halfNow();
      const size = 2 * halfSpot(object.half, half);
      const { x, y, z } = object.position;
      const ground = this.ground.under(x, z, y);
      spot.fall(x, z, size, size, y - half.y - ground, ground);
    }
  }

  /** The boxes of everything that can be moved, soft things included. */
  loose(): Extent[] {
    const rigid = [...this.rigid.values()].filter((object) => !object.info.fixed);
    const soft = [...this.soft.values()].filter((object) => !object.info.fixed);
    return [...rigid.map((object) => object.extent()), ...soft.map((object) => object.extent())];
  }

  /** The lightest thing that can be carried: what a newcomer will want to lift. */
  firstLoose(): RigidObject | undefined {
    let found: RigidObject | undefined;
    for (const object of this.rigid.values()) if (!object.info.fixed && (!found || object.info.index < found.info.index)) found = object;
    return found;
  }

  /** Height of what a newcomer will want to lift, metres: the middle of a rigid thing, or of a soft one. */
  heightOfFirst(): number | undefined {
    const rigid = this.firstLoose();
    if (rigid) return rigid.position.y;
    return this.soft.values().next().value?.extent().middle.y;
  }

  free(): void {
    this.traverse((node) => {
      if (node instanceof ThreeMesh) {
        const { geometry, material } = node as ThreeMesh<BufferGeometry, Material | Material[]>;
        geometry.dispose();
        for (const one of Array.isArray(material) ? material : [material]) one.dispose();
      }
    });
  }
}
