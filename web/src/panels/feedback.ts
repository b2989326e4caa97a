// Force feedback: which device holds the hand, how its loop goes, and what it feels, tick by tick.

import { element } from '../dom';
import type { Haptic } from '../protocol/haptic';
import type { Studio } from '../studio';
import { FORCE_COLOUR } from '../view/haptic';
import { LivePlot } from './live_plot';

const AXES = [
  ['x', '#e4572e'],
  ['y', '#3fa796'],
  ['z', '#3b82f6'],
] as const;
const DRAW_EVERY_MS = 90;
const FORCES = 4;
const MILLIMETRES = 1000;

/** What to do, once it is on. */
const ADVICE: Record<string, string> = {
  mouse: 'Drag the violet dot: what you press on holds it back.',
  sim3: 'A simulated person feels the scene with three motors.',
  sim6: 'A simulated person feels the scene with six motors.',
};

export class FeedbackPanel {
  readonly root = element('div', { class: 'feedback' });
  private readonly note = element('p', { class: 'feedback-note', id: 'feedback-note' });
  private readonly figures = element('p', { class: 'feedback-figures', id: 'feedback-figures' });
  private readonly force = new LivePlot('haptic-force', 'Force on you', 'N', [...AXES.map(([label, colour]) => ({ label, colour })), { label: 'size', colour: FORCE_COLOUR }], (values) => `${(values[3] ?? 0).toFixed(2)} N`);
  private readonly position = new LivePlot(
    'haptic-position',
    'Device and proxy',
    'mm',
    [...AXES.map(([label, colour]) => ({ label, colour })), ...AXES.map(([label, colour]) => ({ label: `${label} of the proxy`, colour, dash: [3, 3] }))],
    (values) => `${Math.hypot(...[0, 1, 2].map((k) => (values[k] ?? 0) - (values[k + 3] ?? 0))).toFixed(1)} mm apart`,
    'dashed: proxy',
  );
  private readonly plots = element('div', { class: 'plots' }, this.force.root, this.position.root);
  /** Where the device was at first: plots tell how far it went. */
  private home: Float32Array | undefined;
  /** Loops count from zero; plots go on. */
  private before = 0;
  private last = -1;
  private drawn = 0;

  /** `choice` is the row of the switch; `onResize` is told when the panel needs more room or less. */
  constructor(
    private readonly studio: Studio,
    choice: HTMLElement,
    private readonly onResize: () => void,
  ) {
    this.root.append(choice, this.note, this.figures, this.plots);
    studio.on('options', () => this.explain());
    studio.on('scene', (scene) => {
      if (!scene.continues) this.forget();
    });
    studio.on('frame', (frame) => this.take(frame.haptic));
    this.explain();
    this.show(false);
  }

  restyle(): void {
    for (const plot of [this.force, this.position]) plot.restyle();
  }

  /** Why there is none, or what to do with it. */
  private explain(): void {
    const option = this.studio.switchOf('haptics');
    this.note.textContent = option?.idle ?? ADVICE[option?.value ?? ''] ?? 'Gives the palm to a haptic loop at 1 kHz.';
    this.note.classList.toggle('impossible', Boolean(option?.idle));
  }

  private show(on: boolean): void {
    this.plots.hidden = this.figures.hidden = !on;
  }

  private forget(): void {
    for (const plot of [this.force, this.position]) plot.clear();
    this.home = undefined;
    this.before = 0;
    this.last = -1;
  }

  private take(haptic: Haptic | undefined): void {
    if (this.plots.hidden !== (haptic === undefined)) {
      this.show(haptic !== undefined);
      this.forget();
      this.onResize();
    }
    if (!haptic) return;
    for (const { index, extremes } of haptic.groups) {
      if (index <= this.last) this.before += this.last + 1;
      this.last = index;
      this.home ??= extremes.slice(2 * FORCES, 2 * FORCES + 6);
      // the earlier of both ends, then the later
      for (const end of [0, 1]) this.push((this.before + index + 0.25 + 0.5 * end) * haptic.groupSeconds, extremes, end);
    }
    this.figures.textContent = haptic.rate > 0 ? `${Math.round(haptic.rate)} ticks/s · ${(100 * haptic.late).toFixed(1)} % late${haptic.present ? '' : ' · let go'}` : 'The loop starts …';
    const now = performance.now();
    if (now - this.drawn < DRAW_EVERY_MS) return;
    this.drawn = now;
    this.force.draw();
    this.position.draw();
  }

  private push(time: number, extremes: Float32Array, end: number): void {
    const number = (k: number): number => extremes[2 * k + end] ?? 0;
    this.force.push(time, [0, 1, 2, 3].map(number));
    const places = [0, 1, 2, 3, 4, 5].map((k) => MILLIMETRES * (number(FORCES + k) - (this.home?.[2 * (k % 3)] ?? 0)));
    this.position.push(time, places);
  }
}
