// What the hand of a scene cannot do, in words for people.

import type { SceneMessage, SwitchOption } from '../protocol/messages';

export const NO_JOINTS = 'This hand has no joints: it cannot grasp. Choose another preset to hold things.';
export const NO_HAND = 'There is no hand here: tools are moved by force feedback. Choose Mouse under Force feedback.';

/** The preset whose hand is one soft piece on a rigid handle. */
export const JOINTLESS_PRESET = 'garre';

/** Why nothing can be grasped, if nothing can. */
export function whyNoGrasp(scene: SceneMessage | undefined, skeleton: SwitchOption | undefined): string | undefined {
  if (scene?.hands.length === 0) return NO_HAND;
  // A handle is none of the skeletons that can be chosen.
  return skeleton && !skeleton.values.includes(skeleton.value) ? NO_JOINTS : undefined;
}
