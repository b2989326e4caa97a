// One hand: its skin and everything that can be shown in it.

import { Group, Matrix4, Quaternion, Vector3 } from 'three';
import type { Ground } from './ground';
import type { Frame } from '../protocol/frame';
import { isSkeleton, MESH_SKIN, MESH_TETS, type Mesh } from '../protocol/mesh';
import type { HandInfo } from '../protocol/messages';
import { ContactShadow } from './contact_shadow';
import type { Quality } from './quality';
import type { Shown } from './shown';
import { SkeletonView } from './skeleton';
import { Skin } from './skin';
import { outlineOf, Sleeve } from './sleeve';
import { TactileView } from './tactile';
import { TetEdges } from './tets';
import { ContactDiscs, ForceArrows } from './touch';

export class HandView extends Group {
  skin: Skin | undefined;
  private skeleton: SkeletonView | undefined;
  private ghost: SkeletonView | undefined;
  private sleeve: Sleeve | undefined;
  private tets: TetEdges | undefined;
  private readonly discs = new ContactDiscs();
  private readonly arrows = new ForceArrows();
  private readonly tactile = new TactileView();
  private readonly spot = new ContactShadow(0.3);
  /** Bone placements of the last frame, for picking the hand with the pointer. */
  bones: Float32Array | undefined;

  constructor(
    readonly info: HandInfo,
    private readonly quality: Quality,
    private shown: Shown,
  ) {
    super();
    this.add(this.discs, this.arrows, this.tactile, this.spot);
  }

  take(mesh: Mesh): void {
    if (isSkeleton(mesh)) {
      this.skeleton = new SkeletonView(mesh, 'bone');
      this.ghost = new SkeletonView(mesh, 'ghost');
      this.add(this.skeleton, this.ghost);
    } else if (mesh.what === MESH_SKIN) {
      this.skin = new Skin(mesh, this.quality);
      this.add(this.skin);
    } else if (mesh.what === MESH_TETS) {
      this.tets = new TetEdges(mesh);
      this.add(this.tets);
    }
    this.show(this.shown);
  }

  show(shown: Shown): void {
    this.shown = shown;
    if (this.skeleton) this.skeleton.visible = shown.skeleton;
    if (this.ghost) this.ghost.visible = shown.tracked;
    if (this.tets) this.tets.visible = shown.tets;
    this.discs.visible = shown.contacts;
    this.arrows.visible = shown.forces;
    this.tactile.visible = shown.tactile;
    this.skin?.showHeat(shown.pressure);
    this.skin?.showInside(shown.skeleton || shown.tets);
  }

  follow(frame: Frame, ground: Ground): void {
    const { index } = this.info;
    // A hand that the headset does not see is not in the frame.
    this.visible = frame.skins.has(index);
    this.skin?.follow(frame.skins.get(index), frame.pressure.get(index));
    const bones = frame.bones.get(index);
    this.bones = bones ?? this.bones;
    if (bones) this.dressWrist(placement(bones, 0));
    if (this.skeleton?.visible && this.bones) this.skeleton.follow(this.bones);
    const tracked = frame.tracked.get(index);
    if (this.ghost?.visible && tracked) this.ghost.follow(tracked);
    const tets = frame.tets.get(index);
    if (this.tets?.visible && tets) this.tets.follow(tets);
    const contacts = frame.contacts.get(index) ?? [];
    if (this.discs.visible) this.discs.follow(contacts);
    if (this.arrows.visible) this.arrows.follow(contacts);
    const tactile = frame.tactile.get(index);
    if (this.tactile.visible && tactile) this.tactile.follow(tactile);
    this.shade(ground);
  }

  private dressWrist(wrist: Matrix4): void {
    if (!this.sleeve && this.skin) {
      this.sleeve = new Sleeve(outlineOf(this.skin.geometry.positions, wrist.clone().invert()));
      this.add(this.sleeve);
    }
    this.sleeve?.follow(wrist);
  }

  /** The middle of the hand: halfway from the wrist to the knuckles. */
  centre(): Vector3 | undefined {
    const { bones } = this;
    if (!bones) return undefined;
    const wrist = new Vector3().fromArray(bones, 0);
    const knuckle = new Vector3().fromArray(bones, MIDDLE_PROXIMAL * 7);
    return wrist.lerp(knuckle, 0.6);
  }

  private shade(ground: Ground): void {
    const at = this.centre();
    if (!at) return;
    const top = ground.under(at.x, at.z, at.y);
    this.spot.fall(at.x, at.z, 0.1, 0.13, at.y - top - 0.045, top);
  }
}

const MIDDLE_PROXIMAL = 7;

function placement(bones: Float32Array, bone: number): Matrix4 {
  const place = new Vector3().fromArray(bones, bone * 7);
  return new Matrix4().compose(place, new Quaternion().fromArray(bones, bone * 7 + 3), new Vector3(1, 1, 1));
}
