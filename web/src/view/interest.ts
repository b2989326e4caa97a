// What of a scene is worth seeing: the tracked hands, and the things that are still where hands can reach them.

import { Box3, Quaternion, Vector3 } from 'three';
import type { Ball } from './fit';
import type { HandView } from './hand_view';
import type { RigidObject, SoftObject } from './object';
import type { SceneView } from './scene_view';

/** Half the thickness of a hand around its bones, and of the forearm around the wrist, metres. */
const AROUND_BONES = 0.022;
const AROUND_WRIST = 0.035;
/** How far the sleeve reaches behind the wrist, metres. */
const BEHIND_WRIST = 0.075;
/** What lies so far below everything else has fallen, metres. */
const FALLEN = 0.3;
/** Nobody reaches further from the hand, metres. */
const REACH = 0.8;
/** Fixed things up to this size are what the scene is about; larger ones are furniture. Metres, half the longest side. */
const FURNITURE = 0.2;
/** Of what is larger than this, such as a door, only the part at the hand matters. Metres, half the longest side. */
const LARGE = 0.4;

export interface Interest {
  hands: Ball[];
  things: Ball[];
}

/** Hands that a frame shows with numbers; never what has fallen, flown away or is not a number. */
export function interestOf(content: SceneView): Interest {
  const hands = content.hands.flatMap(ballsOfHand);
  const seen = middleOf(hands);
  const starts = content.hands.flatMap((hand) => startOf(hand, seen));
  const anchor = seen ?? middleOf(starts);
  const tops = content.ground.floor === undefined ? [] : [content.ground.top];
  const lowest = Math.min(...tops, ...[...hands, ...starts].map((ball) => ball.at.y));
  const isThere = (at: Vector3): boolean => isFinitePlace(at) && !(at.y < lowest - FALLEN) && (!anchor || at.distanceTo(anchor) < REACH);
  const things: Ball[] = [];
  for (const object of content.rigid.values()) {
    const size = Math.max(object.half.x, object.half.y, object.half.z);
    if (!isThere(object.position) || (object.info.fixed && size > FURNITURE) || (anchor && size > LARGE)) continue;
    things.push(...cornersOf(object));
  }
  for (const object of content.soft.values()) things.push(...boxOf(object).filter((ball) => isThere(ball.at)));
  return { hands: [...hands, ...starts], things };
}

/** Something that moves and is too large for the picture, such as a door: whether it lies to the right (1) or left (−1) of the hands, seen from behind them; 0 without. */
export function sideOfLarge(content: SceneView, heading: number): number {
  const middle = middleOf(interestOf(content).hands);
  const isLarge = ({ half, info }: RigidObject): boolean => !info.fixed && Math.max(half.x, half.y, half.z) > LARGE;
  const large = [...content.rigid.values()].find(isLarge);
  if (!middle || !large) return 0;
  const way = large.position.clone().sub(middle);
  return Math.sign(way.x * Math.cos(heading) - way.z * Math.sin(heading));
}

function ballsOfHand(hand: HandView): Ball[] {
  const { bones } = hand;
  if (!hand.visible || !bones) return [];
  const balls: Ball[] = [];
  for (let bone = 0; bone + 6 < bones.length; bone += 7) {
    const at = new Vector3().fromArray(bones, bone);
    if (isFinitePlace(at)) balls.push({ at, radius: AROUND_BONES });
  }
  const sleeve = new Vector3(0, 0, BEHIND_WRIST).applyQuaternion(new Quaternion().fromArray(bones, 3)).add(new Vector3().fromArray(bones));
  if (isFinitePlace(sleeve)) balls.push({ at: sleeve, radius: AROUND_WRIST });
  return balls;
}

/** Where a hand starts and comes back to; what a tracker moves may never have been there. */
function startOf(hand: HandView, seen: Vector3 | undefined): Ball[] {
  if (!hand.info.palm) return [];
  const at = new Vector3().fromArray(hand.info.palm);
  return isFinitePlace(at) && (!seen || at.distanceTo(seen) < REACH / 2) ? [{ at, radius: AROUND_BONES }] : [];
}

function cornersOf({ half, middle, matrix, position, quaternion, scale }: RigidObject): Ball[] {
  matrix.compose(position, quaternion, scale);
  const balls: Ball[] = [];
  for (const x of [-1, 1]) {
    for (const y of [-1, 1]) {
      for (const z of [-1, 1]) {
        const at = new Vector3(x * half.x, y * half.y, z * half.z).add(middle).applyMatrix4(matrix);
        if (isFinitePlace(at)) balls.push({ at, radius: 0 });
      }
    }
  }
  return balls;
}

function boxOf({ geometry }: SoftObject): Ball[] {
  const box = new Box3().setFromArray(geometry.positions);
  return [box.min, box.max].filter(isFinitePlace).map((at) => ({ at, radius: 0 }));
}

export function middleOf(balls: readonly Ball[]): Vector3 | undefined {
  if (balls.length === 0) return undefined;
  const box = new Box3();
  for (const { at } of balls) box.expandByPoint(at);
  return box.getCenter(new Vector3());
}

export function isFinitePlace({ x, y, z }: Vector3): boolean {
  return Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(z);
}
