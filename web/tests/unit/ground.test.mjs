// What things stand on comes from the scene's fixed parts, not from the box around them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../load.mjs';

const { Ground } = await load('view/ground');

const bottom = { x: [-0.275, 0.275], z: [-0.135, 0.135], top: 0, bottom: -0.02 };
const partition = { x: [-0.004, 0.004], z: [-0.127, 0.127], top: 0.152, bottom: 0 };

test('a box with a partition stands on its bottom', () => {
  const ground = new Ground([bottom, partition]);
  assert.equal(ground.top, 0);
  assert.equal(ground.floor, -0.02);
  assert.equal(ground.under(0.1, 0), 0);
  assert.equal(ground.under(0, 0), 0.152);
  assert.equal(ground.under(0, 0, 0.1), 0, 'beside the partition, not on it');
  assert.ok(ground.under(0.5, 0) < -10, 'nothing is there');
});

test('a scene without anything fixed has no floor', () => {
  assert.equal(new Ground([]).floor, undefined);
  assert.ok(new Ground([]).top < -10);
});
