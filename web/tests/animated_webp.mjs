// Puts WebP pictures of one size together into an animated one (the container of RFC 9649).

const ANIMATION_FLAG = 0x02;

function chunk(name, ...parts) {
  const payload = Buffer.concat(parts);
  const header = Buffer.alloc(8);
  header.write(name, 0, 'latin1');
  header.writeUInt32LE(payload.length, 4);
  return Buffer.concat(payload.length % 2 ? [header, payload, Buffer.alloc(1)] : [header, payload]);
}

function u24(...values) {
  const bytes = Buffer.alloc(3 * values.length);
  values.forEach((value, k) => bytes.writeUIntLE(value, 3 * k, 3));
  return bytes;
}

/** The picture data of a still WebP: its VP8 or VP8L chunk, header included. */
function imageChunk(webp) {
  let at = 12;
  while (at + 8 <= webp.length) {
    const name = webp.toString('latin1', at, at + 4);
    const length = webp.readUInt32LE(at + 4);
    if (name === 'VP8 ' || name === 'VP8L') return webp.subarray(at, at + 8 + length + (length % 2));
    at += 8 + length + (length % 2);
  }
  throw new Error('this is no WebP picture');
}

/** Frames are still WebP pictures of that size; all are shown for `milliseconds`, for ever. */
export function animatedWebp(frames, width, height, milliseconds) {
  const head = chunk('VP8X', Buffer.from([ANIMATION_FLAG, 0, 0, 0]), u24(width - 1, height - 1));
  const loop = chunk('ANIM', Buffer.alloc(6));
  const shown = frames.map((frame) => chunk('ANMF', u24(0, 0, width - 1, height - 1, milliseconds), Buffer.from([0]), imageChunk(frame)));
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), head, loop, ...shown]);
  const riff = Buffer.alloc(8);
  riff.write('RIFF', 0, 'latin1');
  riff.writeUInt32LE(body.length, 4);
  return Buffer.concat([riff, body]);
}
