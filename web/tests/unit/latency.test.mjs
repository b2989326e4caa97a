// The latency that is shown is that of inputs, each counted once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../load.mjs';

const { Latency } = await load('protocol/latency');

test('half and 95 per cent of the trips', () => {
  const latency = new Latency();
  for (let trip = 1; trip <= 100; trip++) latency.add(1000 * trip, 1000 * trip + trip);
  const { p50, p95, count } = latency.figures();
  assert.equal(count, 100);
  assert.equal(p50, 51);
  assert.equal(p95, 96);
});

test('an input that shows in several frames counts once; frames without input do not count', () => {
  const latency = new Latency();
  latency.add(Number.NaN, 5);
  assert.equal(latency.figures(), undefined);
  latency.add(10, 20);
  latency.add(10, 500);
  assert.deepEqual(latency.figures(), { p50: 10, p95: 10, count: 1 });
});
