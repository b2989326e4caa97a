// Help for a hand that is moved by a mouse, which knows nothing of depth: the palm stays above the table and settles
// over the thing below it while it is open.

export interface Point {
  x: number;
  y: number;
  z: number;
}

export interface Loose extends Point {
  /** Half its extents along the world's axes, metres. */
  halfX: number;
  halfY: number;
  halfZ: number;
}

export interface Surroundings {
  /** Height of what lies under the palm, if anything does; far below if not. */
  ground: number;
  loose: readonly Loose[];
  /** Where the wrist lies seen from the palm, as a unit vector. */
  towardsWrist: Point;
  /** True if the palm looks down. */
  palmDown: boolean;
  /** Length of the hand over that of an adult's. */
  size: number;
}

// Of an adult's hand, metres; other hands have their share of it.
/** The palm joint lies this far above what the palm rests on. */
const PALM_THICKNESS = 0.01;
/** Over a ball of this reach the palm's middle sits this far behind the ball's. */
const BEHIND = 0.036;
const LEAST_OVER_TABLE = 0.032;
const CATCH = 0.075;
const SETTLED = 0.03;
/** A hand closes around what is no further from its palm than this, sideways and below. */
const BESIDE = 0.045;
const ABOVE = 0.03;

export interface Settling {
  /** How the palm would be moved to sit over the nearest thing, horizontally. */
  x: number;
  z: number;
  /** 0 far from everything, 1 right over something. */
  share: number;
  /** The least height of the palm here. */
  floor: number;
}

function smooth(edge0: number, edge1: number, value: number): number {
  const t = Math.min(Math.max((value - edge0) / (edge1 - edge0), 0), 1);
  return t * t * (3 - 2 * t);
}

/** A palm there is right at a thing: neither above it nor beside it. */
export function isOver(palm: Point, thing: Loose, size: number): boolean {
  const beside = (from: number, half: number): number => Math.max(0, Math.abs(from) - half);
  const away = Math.hypot(beside(palm.x - thing.x, thing.halfX), beside(palm.z - thing.z, thing.halfZ));
  return away < size * BESIDE && palm.y - thing.y < thing.halfY + size * ABOVE;
}

/** Where the palm should settle, for a palm that is wanted at `wanted`. */
export function settle(wanted: Point, around: Surroundings): Settling {
  const { size } = around;
  const low = around.ground + size * LEAST_OVER_TABLE;
  let best: Settling = { x: 0, z: 0, share: 0, floor: low };
  if (!around.palmDown) return best;
  for (const thing of around.loose) {
    if (Math.max(thing.halfX, thing.halfZ) > 0.06 || thing.halfY < 0.012) continue; // no hand closes around it from above
    const x = thing.x + around.towardsWrist.x * size * BEHIND - wanted.x;
    const z = thing.z + around.towardsWrist.z * size * BEHIND - wanted.z;
    const share = 1 - smooth(SETTLED, CATCH, Math.hypot(x, z));
    if (share > best.share) {
      const top = Math.max(low, around.ground + 2 * thing.halfY + size * PALM_THICKNESS);
      best = { x, z, share, floor: low + (top - low) * Math.min(1, share * 1.6) };
    }
  }
  return best;
}
