// Seams only on what is a baseball.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../load.mjs';

const { isBaseball } = await load('view/baseball');
const WHITE = [0.957, 0.945, 0.902];

test('a white ball of the right size has seams, and no other thing', () => {
  assert.ok(isBaseball({ shape: 'sphere', color: WHITE }, 0.0365));
  assert.ok(!isBaseball({ shape: 'sphere', color: [0.72, 0.21, 0.18] }, 0.0365), 'a red one');
  assert.ok(!isBaseball({ shape: 'sphere', color: WHITE }, 0.03), 'a small one');
  assert.ok(!isBaseball({ shape: 'capsule', color: WHITE }, 0.0365), 'no ball');
});
