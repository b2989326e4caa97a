// A mesh whose vertices arrive with every frame.

import { BufferAttribute, BufferGeometry, Sphere, Vector3 } from 'three';
import type { Quantised } from '../protocol/frame';
import { computeNormals } from './normals';

export class StreamedGeometry extends BufferGeometry {
  readonly positions: Float32Array;
  private readonly normals: Float32Array;
  private readonly triangles: Uint32Array;

  constructor(positions: Float32Array, triangles: Uint32Array) {
    super();
    this.positions = new Float32Array(positions);
    this.normals = new Float32Array(positions.length);
    this.triangles = triangles.every((v) => v * 3 < positions.length) ? new Uint32Array(triangles) : new Uint32Array(0);
    this.setAttribute('position', new BufferAttribute(this.positions, 3));
    this.setAttribute('normal', new BufferAttribute(this.normals, 3));
    this.setIndex(new BufferAttribute(this.triangles, 1));
    // Never culled: its place changes with every frame.
    this.boundingSphere = new Sphere(new Vector3(), Infinity);
    computeNormals(this.positions, this.triangles, this.normals);
  }

  /** True if the frame fitted this mesh. */
  update(data: Quantised): boolean {
    const { positions } = this;
    if (!unpack(data, positions)) return false;
    computeNormals(positions, this.triangles, this.normals);
    this.attributes['position']!.needsUpdate = true;
    this.attributes['normal']!.needsUpdate = true;
    return true;
  }
}

/** Fills `positions`; false if the data has too few. */
export function unpack(data: Quantised, positions: Float32Array): boolean {
  const { steps, scale, origin } = data;
  if (steps.length < positions.length) return false;
  const x = origin[0] as number;
  const y = origin[1] as number;
  const z = origin[2] as number;
  for (let k = 0; k + 2 < positions.length; k += 3) {
    positions[k] = x + scale * (steps[k] as number);
    positions[k + 1] = y + scale * (steps[k + 1] as number);
    positions[k + 2] = z + scale * (steps[k + 2] as number);
  }
  return true;
}
