// A soft thing: few vertices arrive with every frame, and many are drawn.

import { BufferAttribute, BufferGeometry, Sphere, Vector3 } from 'three';
import type { Quantised } from '../protocol/frame';
import { extentOf, type Extent } from './extents';
import { computeNormals } from './normals';
import { unpack } from './streamed';
import { Subdivision } from './subdivide';

/** Each makes four triangles of one. */
const MOST_TIMES = 2;
/** Finer than this nobody sees, and slow machines feel it. */
const ENOUGH_TRIANGLES = 8_000;

export class SmoothGeometry extends BufferGeometry {
  /** As drawn. */
  readonly positions: Float32Array;
  private readonly coarse: Float32Array;
  private readonly steps: { finer: Subdivision; place: Float32Array }[] = [];
  private readonly normals: Float32Array;
  private readonly triangles: Uint32Array;
  /** Measured when it is asked for. */
  private box: Extent | undefined;

  constructor(positions: Float32Array, indices: Uint32Array) {
    super();
    this.coarse = new Float32Array(positions);
    this.triangles = indices.every((v) => v * 3 < positions.length) ? new Uint32Array(indices) : new Uint32Array(0);
    for (let time = 0, count = positions.length / 3; time < MOST_TIMES && this.triangles.length / 3 <= ENOUGH_TRIANGLES / 4; time++) {
      const finer = new Subdivision(this.triangles, count);
      this.steps.push({ finer, place: new Float32Array(finer.vertices * 3) });
      this.triangles = finer.triangles;
      count = finer.vertices;
    }
    this.positions = this.steps.at(-1)?.place ?? this.coarse;
    this.normals = new Float32Array(this.positions.length);
    this.setAttribute('position', new BufferAttribute(this.positions, 3));
    this.setAttribute('normal', new BufferAttribute(this.normals, 3));
    this.setIndex(new BufferAttribute(this.triangles, 1));
    // Never culled: its place changes with every frame.
    this.boundingSphere = new Sphere(new Vector3(), Infinity);
    this.refine();
  }

  update(data: Quantised): void {
    if (!unpack(data, this.coarse)) return;
    this.refine();
    this.attributes['position']!.needsUpdate = true;
    this.attributes['normal']!.needsUpdate = true;
  }

  /** The box around what arrived last; drawn it is a little smaller. */
  get extent(): Extent {
    return (this.box ??= extentOf(this.coarse));
  }

  private refine(): void {
    this.box = undefined;
    let from = this.coarse;
    for (const { finer, place } of this.steps) {
      finer.refine(from, place);
      from = place;
    }
    computeNormals(this.positions, this.triangles, this.normals);
  }
}
