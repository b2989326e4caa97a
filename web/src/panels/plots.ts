// Live plots: step time by stage, contacts, grip force per digit, discs on the fingertips, object height.

import { element } from '../dom';
import { STAGES, type Frame } from '../protocol/frame';
import type { Studio } from '../studio';
import type { SceneView } from '../view/scene_view';
import { DIGIT_COLOURS } from '../view/touch';
import { median } from './figures';
import { LivePlot } from './live_plot';

const STAGE_COLOURS = ['#94a3b8', '#3b82f6', '#8b5cf6', '#e4572e', '#f2a541', '#3fa796'];
const DRAW_EVERY_MS = 90;
/** A start takes a step or two of a hundred milliseconds, beside which nothing else could be read. */
const USUAL_STEPS = 0.98;

export class PlotsPanel {
  readonly root = element('div', { class: 'plots' });
  private readonly steps = new LivePlot('step', 'Step time', 'ms', [...STAGES.map((label, k) => ({ label, colour: STAGE_COLOURS[k] ?? '#888' }))], (_, history) => `${median(history.map(sum)).toFixed(2)} ms, median`, '', USUAL_STEPS);
  private readonly contacts = new LivePlot(
    'contacts',
    'Contacts',
    '',
    [
      { label: 'skin', colour: '#e4572e' },
      { label: 'objects', colour: '#3b82f6' },
      { label: 'constraints', colour: '#8b5cf6' },
    ],
    (values) => `${(values[0] ?? 0) + (values[1] ?? 0)}`,
  );
  private readonly grip = new LivePlot(
    'grip',
    'Grip force',
    'N',
    ['thumb', 'index', 'middle', 'ring', 'little', 'palm'].map((label, k) => ({ label, colour: DIGIT_COLOURS[k] ?? '#888' })),
    (values) => `${sum(values).toFixed(1)} N`,
  );
  private readonly height = new LivePlot('height', 'Height of the object', 'mm', [{ label: 'height', colour: '#3fa796', fill: 'rgba(63,167,150,0.16)' }], (values) => `${Math.round(values[0] ?? 0) || 0} mm`);
  /** Displacement, pitch and roll of the discs, while they are shown. */
  private readonly discs = discPlots();
  private readonly tabs = element('div', { class: 'segments plot-tabs', role: 'group', aria: { label: 'Plot' } });
  private isChosenByHand = false;
  private drawn = 0;

  constructor(
    studio: Studio,
    private readonly content: () => SceneView | undefined,
  ) {
    this.root.append(this.tabs);
    for (const plot of this.all()) {
      const tab = element('button', { type: 'button', text: plot.title.split(' ')[0] ?? plot.title, title: plot.title, data: { tab: plot.name } });
      tab.addEventListener('click', () => {
        this.isChosenByHand = true;
        this.choose(plot.name);
      });
      this.tabs.append(tab);
      this.root.append(plot.root);
    }
    // once their tabs are there
    this.showDiscs(false);
    this.choose('height');
    this.showOne(false);
    studio.on('frame', (frame) => this.take(frame));
    studio.on('scene', (scene) => {
      this.all().forEach((plot) => plot.clear());
      if (!this.isChosenByHand) this.choose(scene.objects.every((object) => object.fixed) ? 'grip' : 'height');
    });
  }

  /** Where there is little room, one plot shows and tabs choose it. */
  showOne(isTight: boolean): void {
    this.root.classList.toggle('one', isTight);
  }

  /** The plots of the discs are there while the discs are. */
  showDiscs(on: boolean): void {
    for (const plot of this.discs) {
      plot.root.hidden = !on;
      const tab = this.tabs.querySelector<HTMLElement>(`[data-tab="${plot.name}"]`);
      if (tab) tab.hidden = !on;
    }
  }

  private choose(name: string): void {
    for (const plot of this.all()) plot.root.classList.toggle('chosen', plot.name === name);
    for (const tab of this.tabs.querySelectorAll('button')) tab.setAttribute('aria-pressed', String(tab.dataset['tab'] === name));
  }

  private all(): LivePlot[] {
    return [this.height, this.grip, ...this.discs, this.steps, this.contacts];
  }

  restyle(): void {
    for (const plot of this.all()) plot.restyle();
  }

  private take(frame: Frame): void {
    const now = performance.now();
    const time = now / 1000;
    this.steps.push(
      time,
      [...frame.stageMicros].map((micros) => micros / 1000),
    );
    this.contacts.push(time, [frame.skinContacts, frame.objectContacts, frame.constraints]);
    const grip = frame.grips.values().next().value;
    if (grip) this.grip.push(time, [...grip.digits]);
    const touch = frame.tactile.values().next().value;
    if (touch && touch.fingers.length === FINGER_NAMES.length) {
      const degrees = (radians: number): number => (radians * 180) / Math.PI;
      const values = [touch.fingers.map((f) => f.displacement * 1000), touch.fingers.map((f) => degrees(f.pitch)), touch.fingers.map((f) => degrees(f.roll))];
      this.discs.forEach((plot, k) => plot.push(time, values[k] ?? []));
    }
    const height = this.content()?.heightOfFirst();
    if (height !== undefined) this.height.push(time, [height * 1000]);
    if (now - this.drawn > DRAW_EVERY_MS) {
      this.drawn = now;
      for (const plot of this.all()) plot.draw();
    }
  }
}

const FINGER_NAMES = ['thumb', 'index', 'middle', 'ring', 'little'];

function discPlots(): LivePlot[] {
  const lines = FINGER_NAMES.map((label, k) => ({ label, colour: DIGIT_COLOURS[k] ?? '#888' }));
  const most = (values: readonly number[]): number => values.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
  return [
    new LivePlot('disc', 'Disc displacement', 'mm', lines, (values) => `${Math.max(...values).toFixed(2)} mm`),
    new LivePlot('pitch', 'Pitch of the discs', '°', lines, (values) => `${most(values).toFixed(1)}°`),
    new LivePlot('roll', 'Roll of the discs', '°', lines, (values) => `${most(values).toFixed(1)}°`),
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
