// Figures of the status line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../load.mjs';

const { median, Recent } = await load('panels/figures');

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
