// How much room a turned box takes.

import { Box3, Quaternion, Vector3 } from 'three';

/** A box along the world's axes. */
export interface Extent {
  middle: Vector3;
  half: Vector3;
}

/** The box around points, x y z each; an empty one at the origin where there are none. */
export function extentOf(positions: Float32Array): Extent {
  const box = new Box3().setFromArray(positions);
  const extent = { middle: new Vector3(), half: new Vector3() };
  box.getCenter(extent.middle);
  box.getSize(extent.half).multiplyScalar(0.5);
  return extent;
}

const AXES = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)] as const;

/** Half the extents, along the world's axes, of a box with these half extents in a frame that is turned so. */
export function turnedHalf(half: Vector3, rotation: Quaternion): Vector3 {
  const turned = new Vector3();
  const side = new Vector3();
  for (const axis of AXES) {
    side.copy(half).multiply(axis).applyQuaternion(rotation);
    turned.add(side.set(Math.abs(side.x), Math.abs(side.y), Math.abs(side.z)));
  }
  return turned;
}

/** Half the width of a round spot under such a box: as wide as it is, not as long. */
export function halfSpot(half: Vector3, turned: Vector3): number {
  // A long thing that lies askew has a box that is wide both ways.
  const [, middle] = half.toArray().sort((a, b) => a - b) as [number, number, number];
  return Math.min(turned.x, turned.z, middle);
}
