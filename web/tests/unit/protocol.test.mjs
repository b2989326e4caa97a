// The page reads what the protocol says, and nothing beyond the end of a message.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../load.mjs';

const { ByteReader, readHeader } = await load('protocol/binary');
const { readFrame } = await load('protocol/frame');
const { readMesh, isSkeleton } = await load('protocol/mesh');
const { readServerMessage } = await load('protocol/messages');

// Each loaded module has its own copy of the class, so its name has to do.
const MALFORMED = { name: 'MalformedMessage' };

/** A message written number by number. */
class Writer {
  bytes = [];
  number(method, size, value) {
    const view = new DataView(new ArrayBuffer(size));
    view[method](0, value, true);
    this.bytes.push(...new Uint8Array(view.buffer));
    return this;
  }
  u8(...values) {
    for (const value of values) this.number('setUint8', 1, value);
    return this;
  }
  u16(...values) {
    for (const value of values) this.number('setUint16', 2, value);
    return this;
  }
  i16(...values) {
    for (const value of values) this.number('setInt16', 2, value);
    return this;
  }
  u32(...values) {
    for (const value of values) this.number('setUint32', 4, value);
    return this;
  }
  f32(...values) {
    for (const value of values) this.number('setFloat32', 4, value);
    return this;
  }
  f64(...values) {
    for (const value of values) this.number('setFloat64', 8, value);
    return this;
  }
  section(kind, index, payload) {
    this.u16(kind, index).u32(payload.bytes.length);
    this.bytes.push(...payload.bytes);
    return this;
  }
  get buffer() {
    return new Uint8Array(this.bytes).buffer;
  }
}

function frameStart() {
  return new Writer().u8(1, 1).u16(0).u32(42).f64(1.5, 1234.5).u32(7, 300).f32(1, 2, 3, 4, 5, 6).f32(21, 800).u16(12, 3, 36, 5).f32(0.7).u32(0);
}

function decode(buffer) {
  const reader = new ByteReader(buffer);
  const header = readHeader(reader);
  return readFrame(reader, header.seq);
}

test('a frame comes out as it was written', () => {
  const message = frameStart()
    .section(1, 0, new Writer().f32(1, 2, 3, 0.5).i16(2, 4, -6, 0))
    .section(4, 0, new Writer().f32(0, 1, 2, 0, 0, 0, 1))
    .section(5, 0, new Writer().u32(1).f32(1, 2, 3, 0, 1, 0, 0, -2, 0, 900).u8(4, 1).u16(1))
    .section(6, 0, new Writer().f32(1, 2, 3, 4, 5, 6).f32(0, 0, 1))
    .section(9, 0, new Writer().u32(1, 17).f32(2500))
    .section(999, 0, new Writer().u32(1, 2, 3));
  const frame = decode(message.buffer);
  assert.equal(frame.seq, 42);
  assert.equal(frame.time, 1.5);
  assert.equal(frame.pageTime, 1234.5);
  assert.deepEqual([...frame.stageMicros], [1, 2, 3, 4, 5, 6]);
  assert.equal(frame.skinContacts, 12);
  assert.equal(frame.constraints, 36);
  const skin = frame.skins.get(0);
  assert.equal(skin.origin[2] + skin.scale * skin.steps[2], 0);
  assert.deepEqual([...frame.objects], [0, 1, 2, 0, 0, 0, 1]);
  assert.equal(frame.contacts.get(0)[0].digit, 4);
  assert.ok(frame.contacts.get(0)[0].slipping);
  assert.equal(frame.grips.get(0).digits[5], 6);
  assert.equal(frame.pressure.get(0).vertices[0], 17);
});

test('every message that is cut short is refused, not read beyond', () => {
  const whole = frameStart().section(5, 0, new Writer().u32(1).f32(1, 2, 3, 0, 1, 0, 0, -2, 0, 900).u8(4, 1).u16(1)).buffer;
  decode(whole);
  // Cut exactly before the section the frame is whole again, only without contacts.
  const start = frameStart().buffer.byteLength;
  for (let length = 0; length < whole.byteLength; length++) {
    if (length !== start) assert.throws(() => decode(whole.slice(0, length)), MALFORMED, `cut at ${length}`);
  }
});

test('counts that claim more than there is are refused before anything is allocated', () => {
  const message = frameStart().section(9, 0, new Writer().u32(0xffffffff, 1).f32(1));
  assert.throws(() => decode(message.buffer), MALFORMED);
});

test('meshes carry colours only where the flag says so', () => {
  const plain = new Writer().u16(1, 0).u32(1, 0).f32(1, 2, 3);
  assert.equal(readMesh(new ByteReader(plain.buffer), 0).colours, undefined);
  const coloured = new Writer().u16(1, 0).u32(1, 0).f32(1, 2, 3).u8(9, 8, 7, 255);
  assert.deepEqual([...readMesh(new ByteReader(coloured.buffer), 1).colours], [9, 8, 7, 255]);
  const nailed = new Writer().u16(1, 0).u32(1, 0).f32(1, 2, 3).u8(9, 8, 7, 255, 63, 256 - 126);
  assert.deepEqual([...readMesh(new ByteReader(nailed.buffer), 3).nails], [1, -2]);
  assert.equal(readMesh(new ByteReader(nailed.buffer), 1).nails, undefined);
  const bones = new Writer().u16(5, 0).u32(2, 2).f32(0.1, 0.01, 0.2, 0.02).u32(0, 0);
  assert.ok(isSkeleton(readMesh(new ByteReader(bones.buffer), 0)));
});

test('text of unknown kinds is skipped, so that a newer server may send more', () => {
  assert.equal(readServerMessage('{"type":"weather"}'), undefined);
  assert.equal(readServerMessage('3'), undefined);
  assert.equal(readServerMessage('{"type":"pong","t":3}').t, 3);
});

test('discs on fingertips come with their legs, and with samples where they are wanted', () => {
  const finger = (writer, ...samples) =>
    writer.f32(1, 2, 3, 0, 0, 0, 1).f32(0.001, 0.1, -0.2).f32(0.015, 0.016, 0.017).f32(0.1, 2, -0.3).f32(0.25).u32(samples.length, samples.length).f32(...samples.flat());
  const start = () => new Writer().f32(0.006).u32(3).f32(...Array(18).fill(0.5));
  const frame = decode(frameStart().section(12, 1, finger(finger(start()), [1, 2, 3, -0.0001], [4, 5, 6, 1])).buffer);
  const tactile = frame.tactile.get(1);
  assert.equal(tactile.base.length, 9);
  assert.equal(tactile.fingers.length, 2);
  assert.equal(tactile.fingers[0].samples.length, 0);
  assert.ok(Math.abs(tactile.fingers[1].roll + 0.2) < 1e-6 && tactile.fingers[1].touching === 2);
  assert.equal(tactile.fingers[1].samples[7], 1);
  const liar = start().f32(1, 2, 3, 0, 0, 0, 1).f32(0.001, 0.1, -0.2).f32(0.015, 0.016, 0.017).f32(0.1, 2, -0.3).f32(0.25).u32(0, 4000000);
  assert.throws(() => decode(frameStart().section(12, 0, liar).buffer), MALFORMED);
});

test('a haptic section says where device and proxy are and what every tick felt', () => {
  const place = (x) => [x, 0, 0, 0, 0, 0, 1];
  const group = (index) => new Writer().u32(index).f32(...Array.from({ length: 20 }, (_, k) => index + k));
  const payload = new Writer().u32(3).f32(...place(1), ...place(2), ...place(3)).f32(0, 4, 0, 0, 0, 0.5).f32(1000, 0.25, 0.01).u32(2);
  payload.bytes.push(...group(7).bytes, ...group(8).bytes);
  const { haptic } = decode(frameStart().section(11, 0, payload).buffer);
  assert.equal(haptic.hand, 0);
  assert.ok(haptic.present);
  assert.deepEqual([haptic.device[0], haptic.proxy[0], haptic.wish[0], haptic.force[1], haptic.torque[2]], [1, 2, 3, 4, 0.5]);
  assert.deepEqual([haptic.rate, haptic.late], [1000, 0.25]);
  assert.deepEqual(haptic.groups.map(({ index, extremes }) => [index, extremes.length, extremes[19]]), [
    [7, 20, 26],
    [8, 20, 27],
  ]);
  assert.equal(decode(frameStart().section(11, 0xffff, payload).buffer).haptic.hand, undefined, 'a soft tool');
  payload.bytes.length -= 4;
  assert.throws(() => decode(frameStart().section(11, 0, payload).buffer), MALFORMED);
});
