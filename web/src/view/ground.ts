// What things stand on, as the scene has it: the tops of what never moves.

import type { Support } from '../protocol/messages';

/** Far below everything: nothing casts a shadow there. */
const NOWHERE = -100;

export class Ground {
  private readonly widest: Support | undefined;

  constructor(private readonly supports: readonly Support[]) {
    for (const support of supports) if (!this.widest || area(support) > area(this.widest)) this.widest = support;
  }

  /** Height of the table's top; far below where there is none. */
  get top(): number {
    return this.widest?.top ?? NOWHERE;
  }

  /** Height of the table's underside, where the room's floor may be drawn; nothing where there is no table. */
  get floor(): number | undefined {
    return this.widest?.bottom;
  }

  /** Height of the highest top at that place, no higher than `below`. */
  under(x: number, z: number, below = Infinity): number {
    let top = NOWHERE;
    for (const support of this.supports) {
      const over = x >= support.x[0] && x <= support.x[1] && z >= support.z[0] && z <= support.z[1];
      if (over && support.top <= below) top = Math.max(top, support.top);
    }
    return top;
  }
}

function area(support: Support): number {
  return (support.x[1] - support.x[0]) * (support.z[1] - support.z[0]);
}
