// The 25 joints of a WebXR hand as the server wants them: in OpenXR's order, which has the palm first.

import { Matrix4, Quaternion, Vector3 } from 'three';
import type { PageMessage, Side } from '../protocol/messages';

/** In OpenXR's order without the palm, which WebXR does not have. */
export const JOINTS: readonly XRHandJoint[] = [
  'wrist',
  'thumb-metacarpal',
  'thumb-phalanx-proximal',
  'thumb-phalanx-distal',
  'thumb-tip',
  'index-finger-metacarpal',
  'index-finger-phalanx-proximal',
  'index-finger-phalanx-intermediate',
  'index-finger-phalanx-distal',
  'index-finger-tip',
  'middle-finger-metacarpal',
  'middle-finger-phalanx-proximal',
  'middle-finger-phalanx-intermediate',
  'middle-finger-phalanx-distal',
  'middle-finger-tip',
  'ring-finger-metacarpal',
  'ring-finger-phalanx-proximal',
  'ring-finger-phalanx-intermediate',
  'ring-finger-phalanx-distal',
  'ring-finger-tip',
  'pinky-finger-metacarpal',
  'pinky-finger-phalanx-proximal',
  'pinky-finger-phalanx-intermediate',
  'pinky-finger-phalanx-distal',
  'pinky-finger-tip',
];

export const JOINT_COUNT = 26;

export type JointsMessage = Extract<PageMessage, { type: 'joints' }>;

/** The joints of one hand in the world, of which `toWorld` says where the room is; nothing if the headset does not see the hand now. */
export function readJoints(frame: XRFrame, hand: XRHand, side: Side, space: XRReferenceSpace, toWorld: Matrix4, seq: number, t: number): JointsMessage | undefined {
  const valid: boolean[] = [false];
  const positions: number[] = [0, 0, 0];
  const rotations: number[] = [0, 0, 0, 1];
  const radii: number[] = [0];
  const turn = new Quaternion().setFromRotationMatrix(toWorld);
  let seen = 0;
  for (const name of JOINTS) {
    const joint = hand.get(name);
    const pose = joint ? frame.getJointPose?.(joint, space) : undefined;
    if (pose) {
      const { position, orientation } = pose.transform;
      const p = new Vector3(position.x, position.y, position.z).applyMatrix4(toWorld);
      const q = new Quaternion(orientation.x, orientation.y, orientation.z, orientation.w).premultiply(turn);
      positions.push(rounded(p.x), rounded(p.y), rounded(p.z));
      rotations.push(rounded(q.x), rounded(q.y), rounded(q.z), rounded(q.w));
      radii.push(rounded(pose.radius ?? 0));
      seen++;
    } else {
      positions.push(0, 0, 0);
      rotations.push(0, 0, 0, 1);
      radii.push(0);
    }
    valid.push(pose !== undefined && pose !== null);
  }
  return seen > 0 ? { type: 'joints', hand: side, seq, t, valid, positions, rotations, radii } : undefined;
}

/** A hundredth of a millimetre is finer than any tracker; fewer digits make smaller messages. */
function rounded(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}
