// The camera's arithmetic: what should be seen is seen, wherever it is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../load.mjs';

const { axesFrom, eyeThatSees, stepToSee } = await load('view/fit');
const { Orbit } = await load('view/orbit');
const { PerspectiveCamera, Vector3 } = await import('three');

const lensFrom = (azimuth, elevation) => ({ ...axesFrom(azimuth, elevation), slopeX: 0.3, slopeY: 0.2 });

const BALLS = [
  { at: new Vector3(0.1, 1.3, -0.4), radius: 0.03 },
  { at: new Vector3(-0.25, 1.1, -0.2), radius: 0.02 },
  { at: new Vector3(0.02, 1.5, -0.5), radius: 0.04 },
];

/** How far a ball reaches beyond the sides of the picture, metres; 0 or less if it is seen whole. */
function beyond(eye, { at, radius }, { right, up, ahead, slopeX, slopeY }) {
  const way = at.clone().sub(eye);
  const past = (axis, slope) => (Math.abs(way.dot(axis)) - slope * way.dot(ahead)) / Math.sqrt(1 + slope * slope) + radius;
  return Math.max(past(right, slopeX), past(up, slopeY));
}

test('a fitted eye sees everything, and nothing could be nearer', () => {
  for (const [azimuth, elevation] of [[0, 0], [-0.85, 0.34], [2.5, 1.2], [0.4, -0.2]]) {
    const lens = lensFrom(azimuth, elevation);
    const eye = eyeThatSees(BALLS, lens);
    const worst = Math.max(...BALLS.map((ball) => beyond(eye, ball, lens)));
    assert.ok(Math.abs(worst) < 1e-9, `${worst} m beyond the picture from ${azimuth}, ${elevation}`);
  }
});

test('who sees everything does not move, and who does not moves just far enough', () => {
  const lens = lensFrom(-0.85, 0.34);
  const eye = eyeThatSees(BALLS, lens);
  assert.ok(stepToSee(eye.clone().addScaledVector(lens.ahead, -0.2), BALLS, lens).length() < 1e-12);
  for (const [x, y, z] of [[0.5, 0, 0], [0, -0.7, 0], [0.1, 0.2, 0.3], [-3, 2, 1]]) {
    const strayed = eye.clone().addScaledVector(lens.right, x).addScaledVector(lens.up, y).addScaledVector(lens.ahead, z);
    const back = strayed.clone().add(stepToSee(strayed, BALLS, lens));
    const worst = Math.max(...BALLS.map((ball) => beyond(back, ball, lens)));
    assert.ok(Math.abs(worst) < 1e-9, `${worst} m beyond the picture after a step`);
  }
});

test('a camera takes no view that is not a number', () => {
  const camera = new PerspectiveCamera();
  const orbit = new Orbit(camera, { target: new Vector3(), distance: 1, azimuth: 0, elevation: 0.3 });
  const before = camera.position.clone();
  orbit.lookFrom({ target: new Vector3(Number.NaN, 0, 0), distance: 1, azimuth: 0, elevation: 0 }, true);
  orbit.lookFrom({ target: new Vector3(), distance: Infinity, azimuth: 0, elevation: 0 }, true);
  orbit.shift(new Vector3(0, Number.NaN, 0), 0.1);
  orbit.update(0.1);
  assert.deepEqual(camera.position.toArray(), before.toArray());
});

test('a camera never dips below the table that it looks over', () => {
  const camera = new PerspectiveCamera();
  const orbit = new Orbit(camera, { target: new Vector3(0, 0.1, 0), distance: 1, azimuth: 0, elevation: 0.3 });
  orbit.stayOver(0.03);
  orbit.lookFrom({ target: new Vector3(0, 0.1, 0), distance: 1, azimuth: 3, elevation: -0.5 }, true);
  assert.equal(camera.position.y, 0.03);
});

test('a camera turns the shorter way', () => {
  const orbit = new Orbit(new PerspectiveCamera(), { target: new Vector3(), distance: 1, azimuth: 3, elevation: 0.3 });
  orbit.lookFrom({ target: new Vector3(), distance: 1, azimuth: -3, elevation: 0.3 }, false);
  assert.ok(Math.abs(orbit.azimuth - 3) < 0.3, `goes to ${orbit.azimuth}`);
});
