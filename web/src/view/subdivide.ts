// Makes a coarse closed surface smooth: every triangle becomes four whose new corners lie on a smooth surface through the old ones.
// [ZSS96] D. Zorin, P. Schröder, W. Sweldens, Interpolating Subdivision for Meshes with Arbitrary Topology, SIGGRAPH 1996.
//
// New corners are fixed weighted sums of old ones, so that a moving mesh costs a few multiplications per frame.

/** A vertex around another one, and its weight in the sum. */
type Term = readonly [vertex: number, weight: number];

const REGULAR = 6;

export class Subdivision {
  readonly vertices: number;
  readonly triangles: Uint32Array;
  private readonly starts: Uint32Array;
  private readonly sources: Uint32Array;
  private readonly weights: Float32Array;

  constructor(
    triangles: ArrayLike<number>,
    readonly coarse: number,
  ) {
    const rings = ringsOf(triangles, coarse);
    const sums: Term[][] = [];
    const middles = new Map<number, number>();
    const middle = (a: number, b: number): number => {
      const key = Math.min(a, b) * coarse + Math.max(a, b);
      let found = middles.get(key);
      if (found === undefined) {
        found = coarse + sums.length;
        middles.set(key, found);
        sums.push(middleOf(a, b, rings));
      }
      return found;
    };
    const finer: number[] = [];
    for (let k = 0; k + 2 < triangles.length; k += 3) {
      const [a, b, c] = [triangles[k] as number, triangles[k + 1] as number, triangles[k + 2] as number];
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      finer.push(a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca);
    }
    this.vertices = coarse + sums.length;
    this.triangles = new Uint32Array(finer);
    this.starts = new Uint32Array(sums.length + 1);
    sums.forEach((terms, k) => (this.starts[k + 1] = (this.starts[k] as number) + terms.length));
    this.sources = new Uint32Array(sums.flat().map(([vertex]) => vertex));
    this.weights = new Float32Array(sums.flat().map(([, weight]) => weight));
  }

  /** Places all vertices; `from` and `to` hold three numbers each. */
  refine(from: Float32Array, to: Float32Array): void {
    to.set(from.subarray(0, this.coarse * 3));
    for (let k = 0, at = this.coarse * 3; at < this.vertices * 3; k++, at += 3) {
      let x = 0;
      let y = 0;
      let z = 0;
      for (let term = this.starts[k] as number; term < (this.starts[k + 1] as number); term++) {
        const weight = this.weights[term] as number;
        const source = (this.sources[term] as number) * 3;
        x += weight * (from[source] as number);
        y += weight * (from[source + 1] as number);
        z += weight * (from[source + 2] as number);
      }
      to[at] = x;
      to[at + 1] = y;
      to[at + 2] = z;
    }
  }
}

/** The neighbours of each vertex in their order around it; nothing where the surface has an edge or is not one surface. */
function ringsOf(triangles: ArrayLike<number>, vertices: number): (number[] | undefined)[] {
  const next: Map<number, number>[] = Array.from({ length: vertices }, () => new Map());
  const broken = new Set<number>();
  for (let k = 0; k + 2 < triangles.length; k += 3) {
    for (let corner = 0; corner < 3; corner++) {
      const [v, from, to] = [0, 1, 2].map((step) => triangles[k + ((corner + step) % 3)] as number) as [number, number, number];
      if (next[v]?.has(from)) broken.add(v);
      next[v]?.set(from, to);
    }
  }
  return next.map((after, v) => {
    const first = after.keys().next().value;
    if (first === undefined || broken.has(v)) return undefined;
    const ring = [first];
    for (let at = after.get(first); at !== first; at = after.get(at)) {
      if (at === undefined || ring.length > after.size) return undefined;
      ring.push(at);
    }
    return ring.length === after.size ? ring : undefined;
  });
}

/** The point between two neighbours. */
function middleOf(a: number, b: number, rings: readonly (number[] | undefined)[]): Term[] {
  const sides = [around(a, b, rings), around(b, a, rings)];
  const [first, second] = sides;
  if (!first || !second) return [[a, 0.5], [b, 0.5]];
  const irregular = sides.filter((side) => side !== undefined && side.valence !== REGULAR);
  const used = irregular.length > 0 ? irregular : sides;
  const sum = new Map<number, number>();
  for (const side of used) for (const [vertex, weight] of side?.terms ?? []) sum.set(vertex, (sum.get(vertex) ?? 0) + weight / used.length);
  return [...sum];
}

interface Side {
  valence: number;
  terms: Term[];
}

/** The point as the surroundings of one of its ends see it [ZSS96, section 3]. */
function around(centre: number, towards: number, rings: readonly (number[] | undefined)[]): Side | undefined {
  const ring = rings[centre];
  const start = ring?.indexOf(towards) ?? -1;
  if (!ring || start < 0) return undefined;
  const valence = ring.length;
  const terms: Term[] = ring.map((_, j) => [ring[(start + j) % valence] as number, weight(j, valence)]);
  terms.push([centre, 1 - terms.reduce((sum, [, share]) => sum + share, 0)]);
  return { valence, terms };
}

/** Of neighbour `j`, counted from the one towards which the new point lies. */
function weight(j: number, valence: number): number {
  if (valence < 3) return j === 0 ? 0.5 : 0;
  if (valence === 3) return j === 0 ? 5 / 12 : -1 / 12;
  if (valence === 4) return [3 / 8, 0, -1 / 8, 0][j] ?? 0;
  // The eight points of the butterfly, its wings shared by both ends.
  if (valence === REGULAR) return [1 / 2, 1 / 8, -1 / 8, 0, -1 / 8, 1 / 8][j] ?? 0;
  const angle = (2 * Math.PI * j) / valence;
  return (0.25 + Math.cos(angle) + 0.5 * Math.cos(2 * angle)) / valence;
}
