// The help for a hand moved by a mouse: it settles over a ball, and stays out of the way elsewhere.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Quaternion, Vector3 } from 'three';
import { load } from '../load.mjs';

const { isOver, settle } = await load('input/assist');
const { extentOf, halfSpot, turnedHalf } = await load('view/extents');

const ball = { x: 0, y: 0.0365, z: 0, halfX: 0.0365, halfY: 0.0365, halfZ: 0.0365 };
const around = { ground: 0, loose: [ball], towardsWrist: { x: 0, y: 0, z: 1 }, palmDown: true, size: 1 };

test('a palm near the ball is drawn to where the script of the ball scene grasps it', () => {
  const wanted = { x: 0.02, y: 0.09, z: 0.05 };
  const settling = settle(wanted, around);
  assert.ok(settling.share > 0.9);
  assert.ok(Math.abs(wanted.x + settling.x) < 1e-9);
  assert.ok(Math.abs(wanted.z + settling.z - 0.036) < 1e-9);
  assert.ok(Math.abs(settling.floor - 0.083) < 1e-9, 'the palm rests on the ball');
});

test('a child’s palm settles at the same place of a smaller hand', () => {
  const wanted = { x: 0, y: 0.09, z: 0.03 };
  const settling = settle(wanted, { ...around, size: 0.75 });
  assert.ok(Math.abs(wanted.z + settling.z - 0.027) < 1e-9);
  assert.ok(Math.abs(settling.floor - 0.0805) < 1e-9);
});

test('a palm far from everything is left alone and may come down to the table', () => {
  const settling = settle({ x: 0.2, y: 0.1, z: 0.1 }, around);
  assert.equal(settling.share, 0);
  assert.ok(settling.floor < 0.04);
});

test('a palm that does not look down gets no help', () => {
  assert.equal(settle({ x: 0, y: 0.09, z: 0.036 }, { ...around, palmDown: false }).share, 0);
});

test('things no hand closes around from above get no help', () => {
  const board = { ...ball, halfX: 0.2, halfY: 0.005 };
  assert.equal(settle({ x: 0, y: 0.09, z: 0.036 }, { ...around, loose: [board] }).share, 0);
});

test('the floor rises without a jump as the palm comes over the ball', () => {
  let last = settle({ x: 0.15, y: 0.1, z: 0.036 }, around).floor;
  for (let x = 0.15; x >= 0; x -= 0.001) {
    const { floor } = settle({ x, y: 0.1, z: 0.036 }, around);
    assert.ok(Math.abs(floor - last) < 0.006, `${floor - last} at ${x}`);
    last = floor;
  }
});

test('a pencil that lies counts as high as it is thick, and a palm comes down to it', () => {
  const half = turnedHalf(new Vector3(0.004, 0.09, 0.004), new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), Math.PI / 2));
  const pencil = { x: 0, y: 0.004, z: 0, halfX: half.x, halfY: half.y, halfZ: half.z };
  assert.ok(Math.abs(half.x - 0.09) < 1e-9 && Math.abs(half.y - 0.004) < 1e-9 && Math.abs(half.z - 0.004) < 1e-9, half.toArray().join());
  assert.ok(settle({ x: 0, y: 0.05, z: 0.036 }, { ...around, loose: [pencil] }).floor < 0.04);
});

test('a box that is turned by half a right angle takes the room of its diagonal', () => {
  const half = turnedHalf(new Vector3(0.03, 0.02, 0.01), new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), Math.PI / 4));
  assert.ok(Math.abs(half.x - 0.04 * Math.SQRT1_2) < 1e-9 && Math.abs(half.y - 0.02) < 1e-9 && Math.abs(half.z - half.x) < 1e-9, half.toArray().join());
});

test('the spot under a pencil that lies askew is no wider than the pencil', () => {
  const own = new Vector3(0.004, 0.09, 0.004);
  const askew = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 1).normalize(), Math.PI / 2);
  assert.equal(halfSpot(own, turnedHalf(own, askew)), 0.004);
});

test('a palm is at the ball when it sits on it, not when it is above or beside it', () => {
  assert.ok(isOver({ x: 0, y: 0.083, z: 0.036 }, ball, 1));
  assert.ok(!isOver({ x: 0, y: 0.15, z: 0.036 }, ball, 1), 'above it');
  assert.ok(!isOver({ x: 0.15, y: 0.04, z: 0.036 }, ball, 1), 'beside it');
  assert.ok(!isOver({ x: 0, y: 0.04, z: -0.12 }, ball, 1), 'beyond it');
});

test('a soft ball draws the palm like a hard one, wherever it rolled', () => {
  const points = [];
  for (let k = 0; k < 200; k++) {
    const [up, round] = [1 - (2 * k) / 199, k * 2.4];
    const wide = Math.sqrt(Math.max(0, 1 - up * up));
    points.push(0.1 + 0.0365 * wide * Math.cos(round), 0.0365 * (1 + up), -0.05 + 0.0365 * wide * Math.sin(round));
  }
  const { middle, half } = extentOf(new Float32Array(points));
  const soft = { ...middle, halfX: half.x, halfY: half.y, halfZ: half.z };
  const settling = settle({ x: 0.12, y: 0.09, z: 0 }, { ...around, loose: [soft] });
  assert.ok(settling.share > 0.9, `${settling.share}`);
  // A ball of two hundred points has no point on each of its sides.
  assert.ok(Math.abs(0.12 + settling.x - 0.1) < 1e-3 && Math.abs(settling.z + 0.05 - 0.036) < 1e-3);
  assert.ok(isOver({ x: 0.1, y: 0.06, z: 0 }, soft, 1) && !isOver({ x: -0.1, y: 0.06, z: 0 }, soft, 1));
});
