// Everything of one scene: hands, objects, and what is shown of them.

import { Box3, Group, Mesh as ThreeMesh, Vector3, type BufferGeometry, type Material } from 'three';
import type { Frame } from '../protocol/frame';
import { isSkeleton, MESH_RIGID, MESH_SOFT, type Mesh } from '../protocol/mesh';
import type { SceneMessage } from '../protocol/messages';
import { ContactShadow } from './contact_shadow';
import { Ground } from './ground';
import { HandView } from './hand_view';
import { RigidObject, SoftObject } from './object';
import type { Viewpoint } from './orbit';
import type { Quality } from './quality';
import type { Shown } from './shown';

export class SceneView extends Group {
  readonly hands: HandView[];
  readonly rigid = new Map<number, RigidObject>();
  readonly soft = new Map<number, SoftObject>();
  private readonly spots = new Map<number, ContactShadow>();
  readonly ground: Ground;
  framesSeen = 0;

  constructor(
    readonly message: SceneMessage,
    private readonly quality: Quality,
    shown: Shown,
  ) {
    super();
    this.ground = new Ground(message.supports ?? []);
    this.hands = message.hands.map((info) => new HandView(info, quality, shown));
    this.add(...this.hands);
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
      const size = Math.min(object.half.x, object.half.z) * 2;
      const { x, y, z } = object.position;
      const ground = this.ground.under(x, z, y);
      spot.fall(x, z, size, size, y - object.half.y - ground, ground);
    }
  }

  /** The lightest thing that can be carried: what a newcomer will want to lift. */
  firstLoose(): RigidObject | undefined {
    let found: RigidObject | undefined;
    for (const object of this.rigid.values()) if (!object.info.fixed && (!found || object.info.index < found.info.index)) found = object;
    return found;
  }

  /** From where the hands and loose objects fill the picture well. */
  viewpoint(): Viewpoint {
    const box = new Box3();
    for (const object of this.rigid.values()) {
      if (!object.info.fixed) box.expandByPoint(object.position.clone().sub(object.half)).expandByPoint(object.position.clone().add(object.half));
    }
    for (const object of this.soft.values()) box.expandByPoint(new Vector3().fromArray(object.geometry.positions, 0));
    for (const hand of this.hands) {
      // Wherever the hand is now, it comes back to where it starts.
      if (hand.info.palm) box.expandByPoint(new Vector3().fromArray(hand.info.palm).add(new Vector3(0, 0.04, 0)));
      for (let bone = 0; hand.bones && bone < hand.bones.length; bone += 7) box.expandByPoint(new Vector3().fromArray(hand.bones, bone));
    }
    if (box.isEmpty()) box.set(new Vector3(-0.1, 0, -0.1), new Vector3(0.1, 0.2, 0.1));
    const size = box.getSize(new Vector3()).length();
    const target = box.getCenter(new Vector3());
    target.y = box.min.y + 0.42 * (box.max.y - box.min.y);
    return { target, distance: Math.min(Math.max(size * 1.75, 0.5), 1.6), azimuth: this.thumbSide(), elevation: 0.34 };
  }

  /** One hand is seen from its thumb's side, where its grasp shows; two from behind. */
  private thumbSide(): number {
    const sides = new Set(this.message.hands.map((hand) => hand.side));
    if (sides.size !== 1) return 0;
    return sides.has('right') ? -0.85 : 0.85;
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
