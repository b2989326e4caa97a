// One plot over the last seconds.

import uPlot from 'uplot';
import { element } from '../dom';
import { quantile } from './figures';

export interface Line {
  label: string;
  colour: string;
  fill?: string;
  /** Pixels drawn and left out; such lines are not named in the legend. */
  dash?: number[];
}

const KEPT_SECONDS = 8;
const HEIGHT = 58;

export class LivePlot {
  readonly root: HTMLElement;
  private readonly columns: number[][];
  private readonly times: number[] = [];
  private plot: uPlot | undefined;
  private readonly now = element('span', { class: 'plot-now' });

  constructor(
    readonly name: string,
    readonly title: string,
    private readonly unit: string,
    private readonly lines: Line[],
    /** From the newest values, and from all that are shown, oldest first. */
    private readonly summary: (values: readonly number[], history: readonly number[][]) => string,
    /** Said beside the names of the lines. */
    remark = '',
    /** The share of samples for which the axis has room; the others are cut. */
    private readonly fitted = 1,
  ) {
    this.columns = lines.map(() => []);
    const legend = element('span', { class: 'plot-legend' });
    if (lines.length > 1) {
      for (const line of lines.filter((line) => !line.dash)) {
        const key = element('i');
        key.style.background = line.colour;
        legend.append(element('span', {}, key, line.label));
      }
      if (remark) legend.append(element('span', { text: remark }));
    }
    this.root = element('figure', { class: 'plot', data: { plot: name, points: '0' } }, element('figcaption', {}, element('span', { text: title }), this.now), element('div', { class: 'plot-canvas' }), legend);
  }

  /** Keeps a sample; `time` in seconds of the page. */
  push(time: number, values: readonly number[]): void {
    const last = this.times.at(-1);
    if (last !== undefined && time < last) this.clear();
    this.times.push(time);
    values.forEach((value, line) => this.columns[line]?.push(value));
    while ((this.times[0] ?? time) < time - KEPT_SECONDS) {
      this.times.shift();
      for (const column of this.columns) column.shift();
    }
    this.root.dataset['points'] = String(this.times.length);
    this.root.dataset['last'] = values.map((value) => value.toPrecision(6)).join(' ');
  }

  clear(): void {
    this.times.length = 0;
    for (const column of this.columns) column.length = 0;
  }

  draw(): void {
    const place = this.root.querySelector<HTMLElement>('.plot-canvas');
    if (!place || place.clientWidth === 0) return;
    this.plot ??= this.create(place);
    if (this.plot.width !== place.clientWidth) this.plot.setSize({ width: place.clientWidth, height: HEIGHT });
    this.plot.setData([this.times, ...this.columns] as uPlot.AlignedData);
    this.now.textContent = this.times.length > 0 ? this.summary(this.columns.map((column) => column.at(-1) ?? 0), this.times.map((_, sample) => this.columns.map((column) => column[sample] ?? 0))) : '';
  }

  /** Colours of axes come from the page's theme. */
  restyle(): void {
    this.plot?.destroy();
    this.plot = undefined;
  }

  private create(place: HTMLElement): uPlot {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--ink-faint').trim();
    const grid = { stroke: style.getPropertyValue('--hairline').trim(), width: 1 };
    const font = '10px system-ui, sans-serif';
    return new uPlot(
      {
        width: place.clientWidth,
        height: HEIGHT,
        padding: [6, 4, 6, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, range: (_plot, _min, max) => [max - KEPT_SECONDS, max] }, y: { range: (_plot, min, max) => spread(min, this.top(max)) } },
        axes: [
          { show: false },
          { stroke: ink, grid, ticks: { show: false }, font, size: 38, gap: 4, space: 20, values: (_plot, ticks) => ticks.map((tick) => `${Number(tick.toPrecision(4))}`) },
        ],
        series: [{}, ...this.lines.map((line) => ({ label: line.label, stroke: line.colour, width: 1.6, points: { show: false }, ...(line.fill ? { fill: line.fill } : {}), ...(line.dash ? { dash: line.dash } : {}) }))],
      },
      [[], ...this.lines.map(() => [])] as uPlot.AlignedData,
      place,
    );
  }

  private top(max: number | null): number | null {
    if (this.fitted === 1) return max;
    const tops = this.times.map((_, sample) => Math.max(...this.columns.map((column) => column[sample] ?? 0)));
    return tops.length > 0 ? quantile(tops, this.fitted) : max;
  }

  /** Unit of the values, for tests and tooltips. */
  get unitName(): string {
    return this.unit;
  }
}

/** Zero is always in the picture; a flat line still has a scale. */
function spread(min: number | null, max: number | null): [number, number] {
  const low = Math.min(0, min ?? 0);
  const high = Math.max(0, max ?? 0);
  return high - low < 1e-9 ? [low, low + 1] : [low, high + (high - low) * 0.08];
}
