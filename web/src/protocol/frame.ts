// FRAME: what changed in one step of the simulation.

import { ByteReader, MalformedMessage } from './binary';
import { readHaptic, type Haptic } from './haptic';

export const STAGES = ['track', 'collide', 'assemble', 'factor', 'solve', 'outputs'] as const;
export const BONES = 16;
/** Thumb to little finger, then the palm. */
export const DIGITS = 6;

const SKIN = 1;
const BONE_FRAMES = 2;
const TRACKED = 3;
const OBJECTS = 4;
const CONTACTS = 5;
const GRIP = 6;
const SOFT = 7;
const TETS = 8;
const PRESSURE = 9;
const HAPTIC = 11;
const TACTILE = 12;
const PALM = 13;

/** Positions as i16 steps of `scale` metres from `origin`. */
export interface Quantised {
  origin: Float32Array;
  scale: number;
  steps: Int16Array;
}

export interface Contact {
  point: Float32Array;
  normal: Float32Array;
  /** Newtons on the skin. */
  force: Float32Array;
  pressure: number;
  digit: number;
  slipping: boolean;
  object: number;
}

export interface Grip {
  /** Newtons, thumb to little finger, then the palm. */
  digits: Float32Array;
  tracking: Float32Array;
}

export interface Pressure {
  vertices: Uint32Array;
  pascals: Float32Array;
}

export interface PalmTarget {
  position: Float32Array;
  rotation: Float32Array;
  amount: number;
}

/** The disc on one fingertip and what the pad feels. */
export interface FingerTouch {
  /** Placement of the pad's frame: x across, y into the finger, z away from the tip. */
  pad: Float32Array;
  /** Metres into the finger from the undeformed pad. */
  displacement: number;
  /** Radians. */
  pitch: number;
  roll: number;
  legs: Float32Array;
  /** Newtons in the pad's frame. */
  force: Float32Array;
  slip: number;
  touching: number;
  /** x y z and gap of each sample; empty unless wanted. */
  samples: Float32Array;
}

export interface Tactile {
  radius: number;
  /** Ends of the legs on the frame, in the pad's frame, and on the disc, in the disc's. */
  base: Float32Array;
  platform: Float32Array;
  fingers: FingerTouch[];
}

export interface Frame {
  seq: number;
  time: number;
  /** `t` of the newest input that this frame has consumed; NaN if none. */
  pageTime: number;
  inputSeq: number;
  step: number;
  stageMicros: Float32Array;
  stepMicros: number;
  stepsPerSecond: number;
  skinContacts: number;
  objectContacts: number;
  constraints: number;
  iterations: number;
  minDeterminant: number;
  reportFlags: number;
  skins: Map<number, Quantised>;
  bones: Map<number, Float32Array>;
  tracked: Map<number, Float32Array>;
  objects: Float32Array | undefined;
  contacts: Map<number, Contact[]>;
  grips: Map<number, Grip>;
  soft: Map<number, Quantised>;
  tets: Map<number, Quantised>;
  pressure: Map<number, Pressure>;
  palms: Map<number, PalmTarget>;
  haptic: Haptic | undefined;
  tactile: Map<number, Tactile>;
}

/** Reads what follows the header. */
export function readFrame(reader: ByteReader, seq: number): Frame {
  const frame: Frame = {
    seq,
    time: reader.f64(),
    pageTime: reader.f64(),
    inputSeq: reader.u32(),
    step: reader.u32(),
    stageMicros: reader.f32s(STAGES.length),
    stepMicros: reader.f32(),
    stepsPerSecond: reader.f32(),
    skinContacts: reader.u16(),
    objectContacts: reader.u16(),
    constraints: reader.u16(),
    iterations: reader.u16(),
    minDeterminant: reader.f32(),
    reportFlags: reader.u32(),
    skins: new Map(),
    bones: new Map(),
    tracked: new Map(),
    objects: undefined,
    contacts: new Map(),
    grips: new Map(),
    soft: new Map(),
    tets: new Map(),
    pressure: new Map(),
    palms: new Map(),
    haptic: undefined,
    tactile: new Map(),
  };
  while (reader.left > 0) {
    const section = reader.u16();
    const index = reader.u16();
    readSection(frame, section, index, reader.part(reader.u32()));
  }
  return frame;
}

function readSection(frame: Frame, section: number, index: number, part: ByteReader): void {
  switch (section) {
    case SKIN:
      frame.skins.set(index, readQuantised(part));
      break;
    case BONE_FRAMES:
      frame.bones.set(index, part.f32s(BONES * 7));
      break;
    case TRACKED:
      frame.tracked.set(index, part.f32s(BONES * 7));
      break;
    case OBJECTS:
      frame.objects = part.f32s(Math.floor(part.left / 28) * 7);
      break;
    case CONTACTS:
      frame.contacts.set(index, readContacts(part));
      break;
    case GRIP:
      frame.grips.set(index, { digits: part.f32s(DIGITS), tracking: part.f32s(3) });
      break;
    case SOFT:
      frame.soft.set(index, readQuantised(part));
      break;
    case TETS:
      frame.tets.set(index, readQuantised(part));
      break;
    case PRESSURE:
      frame.pressure.set(index, readPressure(part));
      break;
    case HAPTIC:
      frame.haptic = readHaptic(part, index);
      break;
    case TACTILE:
      frame.tactile.set(index, readTactile(part));
      break;
    case PALM:
      frame.palms.set(index, { position: part.f32s(3), rotation: part.f32s(4), amount: part.f32() });
      break;
    default: // a newer server's section
      break;
  }
}

function readQuantised(part: ByteReader): Quantised {
  const origin = part.f32s(3);
  const scale = part.f32();
  // Padding to four bytes may leave one step too many; meshes read only as many as they have.
  const steps = part.i16s(Math.floor(part.left / 2));
  return { origin, scale, steps };
}

const CONTACT_BYTES = 44;

function readContacts(part: ByteReader): Contact[] {
  const count = part.u32();
  if (count * CONTACT_BYTES > part.left) throw new MalformedMessage(`${count} contacts in ${part.left} bytes`);
  const contacts: Contact[] = [];
  for (let k = 0; k < count; k++) {
    contacts.push({
      point: part.f32s(3),
      normal: part.f32s(3),
      force: part.f32s(3),
      pressure: part.f32(),
      digit: part.u8(),
      slipping: (part.u8() & 1) !== 0,
      object: part.u16(),
    });
  }
  return contacts;
}

function readPressure(part: ByteReader): Pressure {
  const count = part.u32();
  if (count * 8 > part.left) throw new MalformedMessage(`${count} pressures in ${part.left} bytes`);
  const vertices = new Uint32Array(count);
  const pascals = new Float32Array(count);
  for (let k = 0; k < count; k++) {
    vertices[k] = part.u32();
    pascals[k] = part.f32();
  }
  return { vertices, pascals };
}

function readTactile(part: ByteReader): Tactile {
  const radius = part.f32();
  const legs = Math.min(part.u32(), 16);
  const base = part.f32s(legs * 3);
  const platform = part.f32s(legs * 3);
  const fingers: FingerTouch[] = [];
  while (part.left > 0) {
    const finger = { pad: part.f32s(7), displacement: part.f32(), pitch: part.f32(), roll: part.f32(), legs: part.f32s(3), force: part.f32s(3), slip: part.f32(), touching: part.u32() };
    const count = part.u32();
    if (count * 16 > part.left) throw new MalformedMessage(`${count} samples in ${part.left} bytes`);
    fingers.push({ ...finger, samples: part.f32s(count * 4) });
  }
  return { radius, base, platform, fingers };
}
