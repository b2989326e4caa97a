// Pressure at the vertices that feel it colours the skin between them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../load.mjs';

const { Neighbours } = await load('view/neighbours');

test('a vertex between two pressed ones is coloured, a far one is not', () => {
  // A strip of triangles: 0 2 4 6 8 ... above 1 3 5 7 9 ...
  const triangles = [];
  for (let v = 0; v + 2 < 20; v++) triangles.push(v, v + 1, v + 2);
  const values = new Float32Array(20);
  values[4] = values[8] = 1;
  new Neighbours(triangles, 20).spread(values);
  assert.ok(values[6] > 0.4);
  assert.equal(values[19], 0);
  assert.ok(values.every((value) => value <= 1));
});
