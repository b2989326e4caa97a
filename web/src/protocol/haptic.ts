// The HAPTIC section of a frame: a device, its proxy, and every tick since the last frame as few points.

import { MalformedMessage, type ByteReader } from './binary';

/** Index of the section where the device holds a soft tool instead of a hand. */
const TOOL = 0xffff;
/** Force x, y, z and its size; device x, y, z; proxy x, y, z. */
const NUMBERS = 10;

export interface TickGroup {
  /** Counted from the start of the loop. */
  index: number;
  /** Least and greatest of each number within the group, the earlier one first: N and metres. */
  extremes: Float32Array;
}

export interface Haptic {
  /** The hand whose palm the device holds; nothing for a soft tool. */
  hand: number | undefined;
  /** Somebody holds the device. */
  present: boolean;
  /** Placements: position, then quaternion x y z w. */
  device: Float32Array;
  proxy: Float32Array;
  wish: Float32Array;
  /** On the user, newtons and newton metres. */
  force: Float32Array;
  torque: Float32Array;
  /** Ticks per second, lately, and the share of them that were late. */
  rate: number;
  late: number;
  /** Length of a group. */
  groupSeconds: number;
  groups: TickGroup[];
}

export function readHaptic(part: ByteReader, index: number): Haptic {
  const flags = part.u32();
  const haptic: Haptic = {
    hand: index === TOOL ? undefined : index,
    present: (flags & 1) !== 0,
    device: part.f32s(7),
    proxy: part.f32s(7),
    wish: part.f32s(7),
    force: part.f32s(3),
    torque: part.f32s(3),
    rate: part.f32(),
    late: part.f32(),
    groupSeconds: part.f32(),
    groups: [],
  };
  const count = part.u32();
  if (count * 4 * (1 + 2 * NUMBERS) > part.left) throw new MalformedMessage(`${count} groups of ticks in ${part.left} bytes`);
  for (let k = 0; k < count; k++) haptic.groups.push({ index: part.u32(), extremes: part.f32s(2 * NUMBERS) });
  return haptic;
}
