// Numbers for people: the middle of the last few, not whatever came last.

/** The middle value, or the mean of the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The least value that has this share of the others below it or at it; of few values, the greatest is left out. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}

/** The last so many values. */
export class Recent {
  private readonly kept: number[] = [];

  constructor(private readonly most: number) {}

  add(value: number): void {
    if (!Number.isFinite(value)) return;
    this.kept.push(value);
    if (this.kept.length > this.most) this.kept.shift();
  }

  /** Nothing before the first value. */
  median(): number | undefined {
    return this.kept.length > 0 ? median(this.kept) : undefined;
  }

  clear(): void {
    this.kept.length = 0;
  }
}
