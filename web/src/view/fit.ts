// From where a set of balls just fills a part of the picture. Works with numbers alone, so that it can be tested without a browser.

import { Vector3 } from 'three';

/** Something that should be seen: a place and a size, metres. */
export interface Ball {
  at: Vector3;
  radius: number;
}

/** A way of looking: the picture's axes in the world, and how wide the free part of the picture opens per metre of depth. */
export interface Lens {
  right: Vector3;
  up: Vector3;
  ahead: Vector3;
  slopeX: number;
  slopeY: number;
}

/** Between which sideways places the eye sees everything, if it stands at depth 0: `most` sinks and `least` rises by `slope` per metre that it comes closer. */
interface Span {
  least: number;
  most: number;
  slope: number;
}

/** The place along `axis` of an eye from which every ball lies between the two sides of the picture. */
function span(balls: readonly Ball[], axis: Vector3, ahead: Vector3, slope: number): Span {
  // A side of the picture is a plane through the eye; a ball stays behind it by its radius.
  const reach = Math.sqrt(1 + slope * slope);
  let least = -Infinity;
  let most = Infinity;
  for (const { at, radius } of balls) {
    const across = at.dot(axis);
    const depth = at.dot(ahead);
    least = Math.max(least, across + radius * reach - slope * depth);
    most = Math.min(most, across - radius * reach + slope * depth);
  }
  return { least, most, slope };
}

/** How far ahead the eye may be at most. */
function closest({ least, most, slope }: Span): number {
  return (most - least) / (2 * slope);
}

/** The eye that sees all balls, as near to them as it can be, with what decides in the middle of the picture. */
export function eyeThatSees(balls: readonly Ball[], lens: Lens): Vector3 {
  const { right, up, ahead } = lens;
  const x = span(balls, right, ahead, lens.slopeX);
  const y = span(balls, up, ahead, lens.slopeY);
  const depth = Math.min(closest(x), closest(y));
  return new Vector3()
    .addScaledVector(right, (x.least + x.most) / 2)
    .addScaledVector(up, (y.least + y.most) / 2)
    .addScaledVector(ahead, depth);
}

/** The least movement of an eye after which it sees all balls: sideways if that is enough, else backwards too. */
export function stepToSee(eye: Vector3, balls: readonly Ball[], lens: Lens): Vector3 {
  const { right, up, ahead } = lens;
  const x = span(balls, right, ahead, lens.slopeX);
  const y = span(balls, up, ahead, lens.slopeY);
  const depth = eye.dot(ahead);
  const back = Math.min(0, Math.min(closest(x), closest(y)) - depth);
  const sideways = ({ least, most, slope }: Span, now: number): number => {
    const at = depth + back;
    return Math.min(Math.max(now, least + slope * at), most - slope * at) - now;
  };
  return new Vector3()
    .addScaledVector(right, sideways(x, eye.dot(right)))
    .addScaledVector(up, sideways(y, eye.dot(up)))
    .addScaledVector(ahead, back);
}

/** The axes of a picture taken from that direction. */
export function axesFrom(azimuth: number, elevation: number): Pick<Lens, 'right' | 'up' | 'ahead'> {
  const ahead = new Vector3(-Math.sin(azimuth) * Math.cos(elevation), -Math.sin(elevation), -Math.cos(azimuth) * Math.cos(elevation));
  const right = new Vector3(Math.cos(azimuth), 0, -Math.sin(azimuth));
  return { right, up: new Vector3().crossVectors(right, ahead), ahead };
}
