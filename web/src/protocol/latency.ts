// How long it takes from an input on this page to decoded skin on this page.

const KEPT = 240;

export interface LatencyFigures {
  p50: number;
  p95: number;
  count: number;
}

/** The last few hundred round trips, in milliseconds. */
export class Latency {
  private readonly kept: number[] = [];
  private lastInput = Number.NaN;

  /** A frame that has consumed the input made at `inputTime`; the same input counts once, when it first shows. */
  add(inputTime: number, now: number): number | undefined {
    if (!Number.isFinite(inputTime) || inputTime === this.lastInput) return undefined;
    this.lastInput = inputTime;
    const trip = now - inputTime;
    if (trip < 0 || trip > 10_000) return undefined;
    this.kept.push(trip);
    if (this.kept.length > KEPT) this.kept.shift();
    return trip;
  }

  figures(): LatencyFigures | undefined {
    if (this.kept.length === 0) return undefined;
    const sorted = [...this.kept].sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
    return { p50: at(0.5), p95: at(0.95), count: sorted.length };
  }

  clear(): void {
    this.kept.length = 0;
    this.lastInput = Number.NaN;
  }
}
