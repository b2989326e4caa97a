// Coarse soft things are drawn smooth.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../load.mjs';

const { Subdivision } = await load('view/subdivide');
const { SmoothGeometry } = await load('view/smooth');
const { IcosahedronGeometry } = await import('three');
const { mergeVertices } = await import('three/addons/utils/BufferGeometryUtils.js');

/** A ball of radius 1 with shared corners. */
function ball(detail) {
  const geometry = new IcosahedronGeometry(1, detail);
  geometry.deleteAttribute('normal');
  geometry.deleteAttribute('uv');
  const merged = mergeVertices(geometry, 1e-4);
  return { positions: new Float32Array(merged.attributes.position.array), triangles: new Uint32Array(merged.index.array) };
}

test('a coarse ball becomes rounder, and its own corners stay', () => {
  for (const detail of [0, 1, 2]) {
    const { positions, triangles } = ball(detail);
    const smooth = new SmoothGeometry(positions, triangles);
    assert.deepEqual([...smooth.positions.subarray(0, positions.length)], [...positions]);
    assert.equal(smooth.index.count, 16 * triangles.length);
    const flat = Math.cos(1.1 / (detail + 1) / 2); // how near to the centre the middle of a flat edge lies, about
    let worst = 0;
    for (let k = 0; k < smooth.positions.length; k += 3) worst = Math.max(worst, Math.abs(1 - Math.hypot(...smooth.positions.subarray(k, k + 3))));
    assert.ok(worst < 0.35 * (1 - flat), `${worst} from round with detail ${detail}; flat would be ${1 - flat}`);
  }
});

test('what is straight stays straight, whatever the number of neighbours', () => {
  const { positions, triangles } = ball(1);
  const pushed = positions.map((value, k) => (k % 3 === 1 ? 0.25 : value)); // all in one plane
  const finer = new Subdivision(triangles, pushed.length / 3);
  const place = new Float32Array(finer.vertices * 3);
  finer.refine(pushed, place);
  for (let k = 1; k < place.length; k += 3) assert.ok(Math.abs(place[k] - 0.25) < 1e-6);
});

test('an open or broken surface is only divided', () => {
  const sheet = new Subdivision([0, 1, 2, 0, 2, 3, 0, 2, 4], 5);
  const from = new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1]);
  const to = new Float32Array(sheet.vertices * 3);
  sheet.refine(from, to);
  assert.ok(to.every(Number.isFinite));
  assert.deepEqual([...to.subarray(15, 18)], [0.5, 0, 0]);
});
