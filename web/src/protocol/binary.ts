// Binary messages share a header of eight bytes: u8 kind, u8 version, u16 flags, u32 seq; everything is little endian.

export const KIND_FRAME = 1;
export const KIND_MESH = 2;
export const KIND_UPLOAD = 16;
export const VERSION = 1;
export const HEADER_BYTES = 8;

export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/** Reads numbers one after the other. Reading past the end throws [`MalformedMessage`], whatever the message claims. */
export class ByteReader {
  private readonly view: DataView;
  offset: number;
  readonly end: number;

  constructor(
    readonly buffer: ArrayBuffer,
    start = 0,
    end = buffer.byteLength,
  ) {
    this.view = new DataView(buffer);
    this.offset = start;
    this.end = end;
  }

  get left(): number {
    return this.end - this.offset;
  }

  private take(bytes: number): number {
    if (bytes < 0 || bytes > this.left) throw new MalformedMessage(`${bytes} bytes wanted, ${this.left} left`);
    const at = this.offset;
    this.offset += bytes;
    return at;
  }

  u8(): number {
    return this.view.getUint8(this.take(1));
  }
  u16(): number {
    return this.view.getUint16(this.take(2), true);
  }
  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }
  f32(): number {
    return this.view.getFloat32(this.take(4), true);
  }
  f64(): number {
    return this.view.getFloat64(this.take(8), true);
  }

  /** A section of the message as a reader of its own. */
  part(bytes: number): ByteReader {
    const at = this.take(bytes);
    return new ByteReader(this.buffer, at, at + bytes);
  }

  f32s(count: number): Float32Array {
    const at = this.take(count * 4);
    return at % 4 === 0 ? new Float32Array(this.buffer, at, count) : new Float32Array(this.buffer.slice(at, at + count * 4));
  }
  u32s(count: number): Uint32Array {
    const at = this.take(count * 4);
    return at % 4 === 0 ? new Uint32Array(this.buffer, at, count) : new Uint32Array(this.buffer.slice(at, at + count * 4));
  }
  i16s(count: number): Int16Array {
    const at = this.take(count * 2);
    return at % 2 === 0 ? new Int16Array(this.buffer, at, count) : new Int16Array(this.buffer.slice(at, at + count * 2));
  }
  i8s(count: number): Int8Array {
    return new Int8Array(this.buffer, this.take(count), count);
  }
  u8s(count: number): Uint8Array {
    return new Uint8Array(this.buffer, this.take(count), count);
  }
}

export interface Header {
  kind: number;
  version: number;
  flags: number;
  seq: number;
}

export function readHeader(reader: ByteReader): Header {
  return { kind: reader.u8(), version: reader.u8(), flags: reader.u16(), seq: reader.u32() };
}
