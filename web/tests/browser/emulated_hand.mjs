// A headset's hand that moves as a recorded one did. The functions named `...InPage` run in the page, where iwer is loaded.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from '../load.mjs';

const { ByteReader, KIND_FRAME, readHeader } = await load('protocol/binary');
export { KIND_FRAME };
const { readFrame } = await load('protocol/frame');

export const IWER = readFileSync(fileURLToPath(new URL('../../node_modules/iwer/build/iwer.min.js', import.meta.url)), 'utf8');

/** Joints whose frames are the frames of the sixteen bones, in the order of the bones. */
const BONE_JOINTS = ['wrist', 'thumb-metacarpal', 'thumb-phalanx-proximal', 'thumb-phalanx-distal', ...['index', 'middle', 'ring', 'pinky'].flatMap((finger) => ['proximal', 'intermediate', 'distal'].map((bone) => `${finger}-finger-phalanx-${bone}`))];
const TIP_METRES = 0.024;

/** The time and the tracked bones of a binary message, if it is a frame that has them. */
export function trackedBones(payload) {
  if (typeof payload === 'string') return undefined;
  const buffer = payload.buffer.slice(payload.byteOffset, payload.byteOffset + payload.byteLength);
  const reader = new ByteReader(buffer);
  const header = readHeader(reader);
  if (header.kind !== KIND_FRAME) return undefined;
  const frame = readFrame(reader, header.seq);
  const bones = frame.tracked.get(0);
  return bones ? { time: frame.time, bones: [...bones] } : undefined;
}

/** All 25 joints of WebXR from sixteen bones, each as [x, y, z, qx, qy, qz, qw]. */
export function jointsOf(bones) {
  const joints = {};
  BONE_JOINTS.forEach((name, bone) => (joints[name] = bones.slice(bone * 7, bone * 7 + 7)));
  const wrist = joints.wrist;
  for (const finger of ['index', 'middle', 'ring', 'pinky']) {
    const knuckle = joints[`${finger}-finger-phalanx-proximal`];
    joints[`${finger}-finger-metacarpal`] = [0, 1, 2].map((k) => wrist[k] + 0.3 * (knuckle[k] - wrist[k])).concat(wrist.slice(3));
    joints[`${finger}-finger-tip`] = ahead(joints[`${finger}-finger-phalanx-distal`]);
  }
  joints['thumb-tip'] = ahead(joints['thumb-phalanx-distal']);
  return joints;
}

/** The end of a last bone, which runs along −z of its frame. */
function ahead([px, py, pz, x, y, z, w]) {
  const back = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
  return [px - TIP_METRES * back[0], py - TIP_METRES * back[1], pz - TIP_METRES * back[2], x, y, z, w];
}

/** Installs a headset with hands before the page's own scripts run. */
export function installHeadsetInPage() {
  const { IWER } = window;
  const device = new IWER.XRDevice(IWER.metaQuest3);
  device.installRuntime({ forceInstall: true });
  device.primaryInputMode = 'hand';
  device.quaternion.set(-0.3, 0, 0, 0.954); // looks down at the table
  window.headset = device;
}

/** Watches the scene from its start without drawing it: a page that draws would see too few moments of a hand on a busy machine. */
export function watchScriptInPage({ kindFrame, milliseconds }) {
  const socket = new WebSocket(`ws://${location.host}/live`);
  const send = (message) => socket.send(JSON.stringify(message));
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => {
    send({ type: 'hello', protocol: 1, renderer: 'software' });
    send({ type: 'want', tets: false, contacts: false, tracked: true, bones: true });
    send({ type: 'reset' });
  };
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') return;
    const header = new DataView(data);
    if (header.getUint8(0) === kindFrame) setTimeout(send, milliseconds, { type: 'ack', seq: header.getUint32(4, true) });
  };
}

/** One moment of every so many seconds. */
export function thinned(moments, seconds) {
  const kept = [];
  for (const moment of moments) if (kept.length === 0 || moment.time >= kept.at(-1).time + seconds) kept.push(moment);
  return kept;
}

/** The right hand alone, held as one moment of { time, joints } in the simulated world has it. */
export function holdHandInPage({ moment, origin }) {
  const { IWER, headset } = window;
  const input = headset.hands.right;
  headset.hands.left.connected = false;
  input.position.set(0, 0, 0);
  input.quaternion.set(0, 0, 0, 1);
  const held = { moment, timesTaken: 0 };
  input.updateHandPose = () => {
    for (const [name, [px, py, pz, x, y, z, w]] of Object.entries(held.moment.joints)) {
      const space = input.inputSource.hand.get(name);
      const m = space[IWER.P_SPACE].offsetMatrix;
      m.set([1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0, 2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0, 2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0, px + origin[0], py + origin[1], pz + origin[2], 1]);
      space[IWER.P_JOINT_SPACE].radius = 0.008;
    }
    held.timesTaken++;
  };
  window.heldHand = held;
}

/**
 * Plays moments with the held hand, `slower` times slower than they were, as the simulation counts time; resolves when all is
 * played. Each moment is held until the page has taken it, however slowly page and simulation run.
 */
export async function playHandInPage({ moments, slower, patience }) {
  const held = window.heldHand;
  const simulated = () => Number(document.querySelector('#view').dataset.time);
  for (const [k, moment] of moments.entries()) {
    Object.assign(held, { moment, timesTaken: 0 });
    const until = simulated() + ((moments[k + 1] ?? moment).time - moment.time) * slower;
    const end = performance.now() + patience;
    while (held.timesTaken === 0 || simulated() < until) {
      if (performance.now() > end) throw new Error(`moment ${k} of ${moments.length} was taken ${held.timesTaken} times, at ${simulated()} s of ${until} s`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
