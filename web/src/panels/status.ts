// One quiet line: connection, speed, latency, who else watches.

import { button, element } from '../dom';
import type { ConnectionState } from '../protocol/connection';
import type { Trouble } from '../protocol/messages';
import type { Studio } from '../studio';
import type { Stage } from '../view/stage';
import { Recent } from './figures';

const REFRESH_MS = 400;
/** Frames of which the median step is told. */
const STEPS_KEPT = 120;
const TROUBLED_MS = 2000;

export class StatusLine {
  private readonly dot = element('span', { class: 'dot' });
  private readonly connection = element('span', { text: 'connecting' });
  private readonly rate = element('span', { class: 'figure' });
  private readonly latency = element('span', { class: 'figure latency', title: 'From an input on this page to the decoded skin on this page: half of them are faster than the first figure, 95 % than the second' });
  private readonly frames = element('span', { class: 'figure frame-rate', title: 'Pictures that this page drew in the last second' });
  private readonly steps = new Recent(STEPS_KEPT);
  private readonly load = element('span', { class: 'figure wide-only' });
  private readonly viewers = element('span', { class: 'figure wide-only' });
  private troubled = -Infinity;
  private readonly checks = element('span', { class: 'figure checks' });
  private readonly troubles = element('span', { class: 'figure troubles', role: 'status' });
  private readonly control: HTMLButtonElement;

  constructor(
    private readonly line: HTMLElement,
    private readonly studio: Studio,
    private readonly stage: Stage,
    graphicsName: string,
  ) {
    this.control = button('Take control', 'This page only watches; take control here', () => studio.send({ type: 'take_control' }));
    this.control.id = 'take-control';
    this.control.hidden = true;
    this.load.title = `Half of the last steps were faster. Drawn by ${graphicsName}`;
    line.append(element('span', { class: 'figure' }, this.dot, this.connection), this.rate, this.frames, this.latency, this.load, this.viewers, this.checks, this.troubles, element('span', { class: 'spring' }), this.control);
    studio.on('connection', (news) => this.connected(news.state));
    studio.on('state', () => this.refresh());
    studio.on('scene', (scene) => {
      this.steps.clear();
      // What was wrong with another scene is nothing to worry about in this one.
      if (scene.continues) return;
      this.troubled = -Infinity;
    });
    studio.on('frame', (frame) => this.steps.add(frame.stepMicros / 1000));
    window.setInterval(() => this.refresh(), REFRESH_MS);
  }

  private connected(state: ConnectionState): void {
    this.line.dataset['connection'] = state;
    this.dot.dataset['state'] = state;
    this.connection.textContent = state === 'open' ? 'live' : state === 'lost' ? 'server is gone' : 'connecting';
  }

  /** What is wrong with the simulation stays a while: it comes and goes from step to step. */
  private showTroubles(troubles: readonly Trouble[]): void {
    const now = performance.now();
    if (troubles.length > 0) this.troubled = now;
    else if (now - this.troubled < TROUBLED_MS) return;
    const [worst] = troubles;
    this.troubles.textContent = worst ? `⚠ ${worst.message}` : '';
    this.troubles.title = troubles.map((trouble) => `${trouble.message} ${trouble.remedy}`).join('\n');
    this.troubles.dataset['kinds'] = troubles.map((trouble) => trouble.kind).join(' ');
  }

  private refresh(): void {
    const { state, scene } = this.studio;
    const realtime = state?.playing ? element('span', { class: 'detail', text: `${Math.round(state.steps_per_s)} steps/s · ` }) : '';
    this.rate.replaceChildren(realtime, state ? (state.playing ? `${state.realtime.toFixed(2)}× real time` : 'paused') : '');
    this.frames.textContent = state?.playing ? `${this.stage.frameRate()} frames/s` : '';
    const figures = this.studio.latency.figures();
    this.latency.replaceChildren(...(figures ? [`latency ${figures.p50.toFixed(0)} ms`, element('span', { class: 'detail', text: ` (95 % < ${figures.p95.toFixed(0)})` })] : []));
    if (figures) {
      this.line.dataset['p50'] = figures.p50.toFixed(2);
      this.line.dataset['p95'] = figures.p95.toFixed(2);
      this.line.dataset['trips'] = String(figures.count);
    }
    const triangles = scene?.hands.reduce((sum, hand) => sum + hand.triangles, 0) ?? 0;
    const step = this.steps.median();
    this.load.textContent = step === undefined ? '' : `${step.toFixed(2)} ms a step · ${triangles.toLocaleString('en')} triangles`;
    this.viewers.textContent = state && state.viewers > 1 ? `${state.viewers} pages` : '';
    const checks = state?.checks ?? [];
    const passed = checks.filter((check) => check.ok).length;
    this.checks.textContent = checks.length > 0 ? `${passed} of ${checks.length} checks pass` : '';
    this.checks.title = checks.map((check) => `${check.ok ? '✓' : '✗'} ${check.label}: ${check.value === null ? 'no value' : Number(check.value.toPrecision(4))} ${check.unit}`).join('\n');
    this.checks.dataset['ok'] = String(passed === checks.length);
    this.showTroubles(state && state.scene === scene?.id ? (state.troubles ?? []) : []);
    this.control.hidden = !state || state.controller;
  }
}
