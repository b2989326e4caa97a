// Live plots: step time by stage, contacts, grip force per digit, haptic force, object height.

import { element } from '../dom';
import { STAGES, type Frame } from '../protocol/frame';
import type { Studio } from '../studio';
import type { SceneView } from '../view/scene_view';
import { DIGIT_COLOURS } from '../view/touch';
import { LivePlot } from './live_plot';

const STAGE_COLOURS = ['#94a3b8', '#3b82f6', '#8b5cf6', '#e4572e', '#f2a541', '#3fa796'];
const DRAW_EVERY_MS = 90;

export class PlotsPanel {
  readonly root = element('div', { class: 'plots' });
  private readonly steps = new LivePlot('step', 'Step time', 'ms', [...STAGES.map((label, k) => ({ label, colour: STAGE_COLOURS[k] ?? '#888' }))], (values) => `${sum(values).toFixed(2)} ms`);
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
  private readonly height = new LivePlot('height', 'Object height', 'mm', [{ label: 'height', colour: '#3fa796', fill: 'rgba(63,167,150,0.16)' }], (values) => `${(values[0] ?? 0).toFixed(0)} mm`);
  private readonly haptic = new LivePlot('haptic', 'Haptic force', 'N', [{ label: 'force', colour: '#8b5cf6', fill: 'rgba(139,92,246,0.16)' }], (values) => `${(values[0] ?? 0).toFixed(2)} N`);
  private drawn = 0;

  constructor(
    studio: Studio,
    private readonly content: () => SceneView | undefined,
  ) {
    this.haptic.root.hidden = true;
    for (const plot of this.all()) this.root.append(plot.root);
    studio.on('frame', (frame) => this.take(frame));
    studio.on('scene', () => this.all().forEach((plot) => plot.clear()));
  }

  private all(): LivePlot[] {
    return [this.height, this.grip, this.steps, this.contacts, this.haptic];
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
    const object = this.content()?.firstLoose();
    if (object) this.height.push(time, [object.position.y * 1000]);
    if (frame.haptic) {
      this.haptic.root.hidden = false;
      this.haptic.push(time, [Math.hypot(...frame.haptic.subarray(0, 3))]);
    }
    if (now - this.drawn > DRAW_EVERY_MS) {
      this.drawn = now;
      for (const plot of this.all()) plot.draw();
    }
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
