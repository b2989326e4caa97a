// Which vertices of a mesh are joined by an edge.

/** Values that only some vertices have (only a part of the skin's vertices feel contact) are spread to those between them. */
export class Neighbours {
  private readonly starts: Uint32Array;
  private readonly others: Uint32Array;
  private readonly next: Float32Array;

  constructor(triangles: ArrayLike<number>, vertices: number) {
    this.starts = new Uint32Array(vertices + 1);
    this.next = new Float32Array(vertices);
    for (let k = 0; k < triangles.length; k++) this.starts[(triangles[k] as number) + 1]! += 2;
    for (let v = 0; v < vertices; v++) this.starts[v + 1]! += this.starts[v] as number;
    this.others = new Uint32Array(this.starts[vertices] as number);
    const filled = this.starts.slice();
    for (let k = 0; k + 2 < triangles.length; k += 3) {
      for (let corner = 0; corner < 3; corner++) {
        const v = triangles[k + corner] as number;
        for (const step of [1, 2]) this.others[filled[v]!++] = triangles[k + ((corner + step) % 3)] as number;
      }
    }
  }

  /** Fills vertices without a value from neighbours that have one, twice, then smooths once. */
  spread(values: Float32Array): void {
    this.fill(values);
    this.fill(values);
    this.smooth(values);
  }

  private fill(values: Float32Array): void {
    const { next } = this;
    next.set(values);
    for (let v = 0; v < values.length; v++) {
      if ((values[v] as number) > 0) continue;
      let sum = 0;
      let count = 0;
      this.each(v, (other) => {
        const value = values[other] as number;
        if (value > 0) {
          sum += value;
          count++;
        }
      });
      if (count > 0) next[v] = (0.8 * sum) / count;
    }
    values.set(next);
  }

  private smooth(values: Float32Array): void {
    const { next } = this;
    for (let v = 0; v < values.length; v++) {
      let sum = 0;
      let count = 0;
      this.each(v, (other) => {
        sum += values[other] as number;
        count++;
      });
      next[v] = count > 0 ? 0.5 * (values[v] as number) + (0.5 * sum) / count : (values[v] as number);
    }
    values.set(next);
  }

  private each(vertex: number, visit: (other: number) => void): void {
    for (let k = this.starts[vertex] as number; k < (this.starts[vertex + 1] as number); k++) visit(this.others[k] as number);
  }
}
