// Decides what the camera looks at: the whole scene at first and after a reset, then whatever leaves the picture is followed.

import { MathUtils, Quaternion, Vector3, type PerspectiveCamera } from 'three';
import { axesFrom, eyeThatSees, stepToSee, type Ball, type Lens } from './fit';
import type { HandView } from './hand_view';
import { interestOf, middleOf, sideOfLarge } from './interest';
import type { Orbit, Viewpoint } from './orbit';
import type { SceneView } from './scene_view';

/** Views of the hand that a button or a key brings. */
export type Preset = 'thumb' | 'palm' | 'first-person';

/** The part of the picture that no panel covers, pixels; and the height of the whole. */
export interface FreeArea {
  width: number;
  height: number;
  pictureHeight: number;
}

/** What must stay in the picture: everything, the hands, or, where a person has chosen the view, at least something. */
type Keeps = 'everything' | 'hands' | 'something';

/** Of the free area: filled by a new view, and left by what moves before the camera follows. */
const FILLED = 0.78;
const KEPT = 0.93;
/** Metres; of the camera from what it looks at, then from the table's top. */
const NEAREST = 0.42;
const NEAREST_PRESET = 0.3;
const ABOVE_GROUND = 0.03;
const FAR_AWAY = 0.5;
/** What is so near to a hand is what it holds or is about to. */
const AT_HAND = 0.06;
/** A hand that jumps far away stays there for so long before the camera follows, milliseconds: trackers err for a few frames. */
const JUMPED = 700;
/** Radians. */
const THUMB_SIDE = 0.85;
const BEHIND_TWO = 0.4;
const ELEVATION = 0.34;
const ELEVATION_OVER_TWO = 0.52;

export class Director {
  private keeps: Keeps = 'everything';
  private scene = '';
  private run = -1;
  /** Hands of this scene have been seen. */
  private sawHands = false;
  /** A new view is due as soon as there is something to look at. */
  private waits = false;
  private wantsAll = false;
  /** Since when the hands are far from what the camera looks at. */
  private farSince: number | undefined;

  constructor(
    private readonly orbit: Orbit,
    private readonly camera: PerspectiveCamera,
    private readonly area: () => FreeArea,
  ) {}

  /** The person wants to start again, with everything in view. */
  startAgain(): void {
    this.wantsAll = true;
  }

  /** After each frame. */
  follow(content: SceneView): void {
    if (this.orbit.takeOwnership()) this.keeps = 'something';
    this.orbit.stayOver(content.ground.top + ABOVE_GROUND);
    const interest = interestOf(content);
    const seesHands = content.hands.length === 0 || content.hands.some((hand) => hand.visible && hand.bones !== undefined);
    const { name, id } = content.message;
    const isNew = name !== this.scene;
    // Another method in the same moment is no reason to look elsewhere.
    if (id !== this.run && !(content.message.continues && !isNew)) this.waits = this.wantsAll || this.keeps === 'everything' || isNew;
    // Hands that a tracker has lost for now come back: until then the view stays.
    if (this.waits && (seesHands || isNew)) {
      if (isNew || this.wantsAll) this.keeps = 'everything';
      this.look(content, this.scene === '' || this.isFarFrom(interest.hands), isNew || !this.sawHands);
      this.waits = !seesHands;
      this.wantsAll = false;
    } else if (!this.waits && !this.hasJustJumped(interest.hands)) {
      this.keepInView([...interest.hands, ...interest.things], interest.hands);
    }
    this.sawHands = (this.sawHands && !isNew) || seesHands;
    this.scene = name;
    this.run = id;
  }

  /** True while hands are suddenly far away, where a tracker's mistake would put them. */
  private hasJustJumped(hands: readonly Ball[]): boolean {
    if (!this.isFarFrom(hands)) this.farSince = undefined;
    else this.farSince ??= performance.now();
    return this.farSince !== undefined && performance.now() - this.farSince < JUMPED;
  }

  /** True if a flight there would take longer than anyone wants to wait. */
  private isFarFrom(balls: readonly Ball[]): boolean {
    return (middleOf(balls)?.distanceTo(this.orbit.goalView().target) ?? 0) > FAR_AWAY;
  }

  /** Looks at everything, from the side that shows it best. */
  lookAtAll(content: SceneView, jump: boolean): void {
    this.keeps = 'everything';
    this.look(content, jump, true);
  }

  /** After the picture has changed its size. */
  refit(content: SceneView): void {
    if (this.keeps === 'everything' && this.scene !== '') this.look(content, false, false);
  }

  lookFrom(preset: Preset, content: SceneView): void {
    const { hands, things } = interestOf(content);
    const isAtHand = ({ at }: Ball): boolean => hands.some((hand) => hand.at.distanceTo(at) < hand.radius + AT_HAND);
    const balls = hands.length > 0 ? [...hands, ...things.filter(isAtHand)] : things;
    if (balls.length === 0) return;
    this.keeps = 'hands';
    const heading = headingOf(content.hands);
    this.orbit.lookFrom(this.viewOf(balls, ...this.direction(preset, heading, content.hands), NEAREST_PRESET), false);
  }

  private look(content: SceneView, jump: boolean, anew: boolean): void {
    const { hands, things } = interestOf(content);
    const balls = [...hands, ...things];
    if (balls.length === 0) balls.push({ at: new Vector3(0, Math.max(content.ground.top, 0) + 0.1, 0), radius: 0.15 });
    const heading = headingOf(content.hands);
    const [side, elevation] = bestSide(content, heading);
    const [azimuth, height] = anew ? [heading + side, elevation] : [this.orbit.azimuth, this.orbit.elevation];
    this.orbit.lookFrom(this.viewOf(balls, azimuth, height, NEAREST), jump);
  }

  private direction(preset: Preset, heading: number, hands: readonly HandView[]): [azimuth: number, elevation: number] {
    const isLeft = hands.find((hand) => hand.visible)?.info.side === 'left';
    switch (preset) {
      case 'thumb':
        return [heading + (isLeft ? 1.35 : -1.35), 0.12];
      case 'first-person':
        return [heading, 0.8];
      case 'palm': {
        const normal = palmNormal(hands);
        const level = Math.hypot(normal.x, normal.z);
        // A palm that looks down is seen from where the fingers point, as low as the table allows.
        return level < 0.5 && normal.y < 0 ? [heading + Math.PI, -0.2] : [Math.atan2(normal.x, normal.z), Math.asin(MathUtils.clamp(normal.y, -0.5, 0.9))];
      }
    }
  }

  private viewOf(balls: readonly Ball[], azimuth: number, elevation: number, nearest: number): Viewpoint {
    const lens = this.lens(azimuth, elevation, FILLED);
    const eye = eyeThatSees(balls, lens);
    const depth = (middleOf(balls) ?? eye).dot(lens.ahead) - eye.dot(lens.ahead);
    const target = eye.clone().addScaledVector(lens.ahead, depth);
    return { target, distance: Math.max(depth, nearest), azimuth, elevation };
  }

  private keepInView(everything: readonly Ball[], hands: readonly Ball[]): void {
    const lens = this.lens(this.orbit.azimuth, this.orbit.elevation, KEPT);
    const { target, distance } = this.orbit.goalView();
    const eye = target.clone().addScaledVector(lens.ahead, -distance);
    let balls = this.keeps === 'hands' && hands.length > 0 ? hands : everything;
    if (this.keeps === 'something') balls = nearest(eye, everything, lens);
    if (balls.length === 0) return;
    const step = stepToSee(eye, balls, lens);
    const back = -step.dot(lens.ahead);
    this.orbit.shift(step.addScaledVector(lens.ahead, back), back);
  }

  private lens(azimuth: number, elevation: number, share: number): Lens {
    const { width, height, pictureHeight } = this.area();
    const open = (2 * Math.tan(MathUtils.degToRad(this.camera.fov) / 2)) / Math.max(pictureHeight, 1);
    return { ...axesFrom(azimuth, elevation), slopeX: (open * Math.max(width, 40) * share) / 2, slopeY: (open * Math.max(height, 40) * share) / 2 };
  }
}

/** Nothing if one of the balls is in the picture already; else the one for which the camera moves least. */
function nearest(eye: Vector3, balls: readonly Ball[], lens: Lens): Ball[] {
  let found: Ball[] = [];
  let least = Infinity;
  for (const { at } of balls) {
    const ball = { at, radius: 0 };
    const way = stepToSee(eye, [ball], lens).length();
    if (way < 1e-9) return [];
    if (way < least) {
      least = way;
      found = [ball];
    }
  }
  return found;
}

/** Radians around the vertical from which the wrists are seen from behind; 0 while nobody knows. */
function headingOf(hands: readonly HandView[]): number {
  const back = new Vector3();
  for (const hand of hands) {
    const turn = wristTurn(hand);
    if (turn) back.add(new Vector3(0, 0, 1).applyQuaternion(turn));
  }
  // Fingers that point up or down say nothing.
  return Math.hypot(back.x, back.z) > 0.4 ? Math.atan2(back.x, back.z) : 0;
}

function palmNormal(hands: readonly HandView[]): Vector3 {
  const normal = new Vector3();
  for (const hand of hands) {
    const turn = wristTurn(hand);
    if (turn) normal.add(new Vector3(0, -1, 0).applyQuaternion(turn));
  }
  return normal.lengthSq() > 0.01 ? normal.normalize() : new Vector3(0, -1, 0);
}

function wristTurn(hand: HandView): Quaternion | undefined {
  if (!hand.visible || !hand.bones) return undefined;
  const turn = new Quaternion().fromArray(hand.bones, 3);
  return Number.isFinite(turn.length()) && turn.length() > 0.5 ? turn : undefined;
}

/**
 * One hand is seen from its thumb's side, where its grasp shows; two from behind, over both. A door is seen from where it ends beside the hand:
 * as it swings away from there its face stays in the picture, and from the side of its hinges only its edge would.
 */
function bestSide(content: SceneView, heading: number): [azimuth: number, elevation: number] {
  const sides = new Set(content.message.hands.map((hand) => hand.side));
  if (sides.size > 1) return [BEHIND_TWO, ELEVATION_OVER_TWO];
  const large = sideOfLarge(content, heading);
  if (large !== 0) return [-large * THUMB_SIDE, ELEVATION];
  return [sides.has('left') ? THUMB_SIDE : -THUMB_SIDE, ELEVATION];
}
