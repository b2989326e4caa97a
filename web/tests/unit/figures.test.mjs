// Figures of the status line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../load.mjs';

const { median, quantile, Recent } = await load('panels/figures');

test('a median ignores the one slow step', () => {
  assert.equal(median([2, 1, 90]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.ok(Number.isNaN(median([])));
});

test('only the last values count, and only numbers', () => {
  const recent = new Recent(3);
  assert.equal(recent.median(), undefined);
  for (const value of [100, 100, 1, Number.NaN, 2, 3]) recent.add(value);
  assert.equal(recent.median(), 2);
  recent.clear();
  assert.equal(recent.median(), undefined);
});

test('one slow step sets no scale, however few there are', () => {
  assert.equal(quantile([0.5, 100, 0.4], 0.98), 0.5);
  assert.equal(quantile([...Array(100).fill(0.5), 100, 90], 0.98), 0.5);
  assert.equal(quantile([1, 2, 3, 4], 1), 4);
  assert.equal(quantile([7], 0.98), 7);
  assert.ok(Number.isNaN(quantile([], 0.98)));
});
