// How far the hand is from what it could touch.

import { Box3, Vector3 } from 'three';
import type { SceneView } from './scene_view';

export interface Reach {
  /** Middle of the thing. */
  thing: Vector3;
  /** From the middle of the hand to the box around the thing, metres. */
  gap: number;
  /** From the middle of the hand to that of the thing. */
  way: Vector3;
}

/** The first loose thing, soft ones too; where there is none, what is fixed and nearest. */
export function reachOf(content: SceneView): Reach | undefined {
  const hand = content.hands.find((one) => one.visible)?.centre();
  if (!hand) return undefined;
  const boxes: Box3[] = [];
  const loose = content.firstLoose();
  if (loose) boxes.push(new Box3().setFromObject(loose));
  else if (content.soft.size > 0) boxes.push(...[...content.soft.values()].map((soft) => new Box3().setFromObject(soft, true)));
  else boxes.push(...[...content.rigid.values()].map((object) => new Box3().setFromObject(object)));
  const [box] = boxes.filter((one) => !one.isEmpty()).sort((a, b) => a.distanceToPoint(hand) - b.distanceToPoint(hand));
  if (!box) return undefined;
  // Of something large, what is nearest; of something small, its middle.
  const thing = box.getSize(new Vector3()).length() > 0.5 ? box.clampPoint(hand, new Vector3()) : box.getCenter(new Vector3());
  return { thing, gap: box.distanceToPoint(hand), way: thing.clone().sub(hand) };
}
