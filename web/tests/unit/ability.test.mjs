// Why a hand cannot grasp is said, and only where it cannot.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../load.mjs';

const { NO_HAND, NO_JOINTS, whyNoGrasp } = await load('input/ability');

const skeleton = (value) => ({ key: 'skeleton', label: 'Skeleton', values: ['bodies', 'reduced'], value });
const withHands = (count) => ({ hands: Array.from({ length: count }, (_, index) => ({ index })) });

test('a hand with a skeleton can grasp', () => {
  assert.equal(whyNoGrasp(withHands(1), skeleton('reduced')), undefined);
  assert.equal(whyNoGrasp(undefined, undefined), undefined, 'before anything is known');
});

test('a hand on a handle has no joints', () => {
  assert.equal(whyNoGrasp(withHands(1), skeleton('')), NO_JOINTS);
});

test('a scene of tools has no hand', () => {
  assert.equal(whyNoGrasp(withHands(0), skeleton('bodies')), NO_HAND);
});
