// The bar at the bottom: who drives the hand, time, recordings, pictures.

import { button, element } from '../dom';
import type { HandDriver } from '../input/hand_driver';
import type { Mode, RecordedMessage } from '../protocol/messages';
import type { Studio } from '../studio';
import { ICONS } from './icons';

const SPEEDS = [1, 0.5, 0.25, 0.1];
const CLOCK_MS = 80;
const CLOSES = 'Close or open the hand (hold Space)';
const RECORDS = 'Record from the beginning of the scene, which is put back for it; stopping downloads an MCAP file';
const STOPS = 'Stop the recording and download it as an MCAP file';
const MOST_RECORDING_BYTES = 64 << 20;

export interface TransportActions {
  screenshot(): void;
  enterVr(): void;
  tell(message: string, remedy?: string): void;
  tellWatching(): void;
}

export class Transport {
  readonly vr: HTMLButtonElement;
  private readonly play: HTMLButtonElement;
  private readonly speed: HTMLButtonElement;
  private readonly record: HTMLButtonElement;
  private readonly grasp: HTMLButtonElement;
  private readonly modes = new Map<Mode, HTMLButtonElement>();
  private clockSet = 0;
  private readonly clock = element('span', { class: 'clock', title: 'Time of the simulation' });
  private readonly file = element('input', { type: 'file', class: 'visually-hidden' });

  constructor(
    bar: HTMLElement,
    private readonly studio: Studio,
    private readonly driver: HandDriver,
    private readonly actions: TransportActions,
  ) {
    this.play = button('', 'Pause (P)', () => this.playOrPause(), ICONS.pause);
    this.play.classList.add('primary');
    this.speed = button('1×', 'Slow motion', () => this.nextSpeed());
    this.speed.id = 'speed';
    this.record = button('Record', RECORDS, () => studio.send({ type: 'record', on: !(studio.state?.recording ?? false) }), ICONS.record);
    this.record.id = 'record';
    this.grasp = button('Grasp', CLOSES, () => this.toggleGrasp(), ICONS.grasp);
    this.grasp.id = 'grasp';
    this.vr = button('Enter VR', 'Use your own hands in a headset', () => actions.enterVr(), ICONS.headset);
    this.vr.id = 'enter-vr';
    this.vr.hidden = true;
    const load = button('Load', 'Load a recording (MCAP)', () => this.file.click(), ICONS.load);
    this.file.accept = '.mcap,.json,.jsonl,.csv';
    this.file.tabIndex = -1;
    this.file.addEventListener('change', () => void this.loadFile());
    bar.append(
      this.modeSwitch(),
      element('span', { class: 'divider' }),
      group(this.play, named('step', button('', 'Single step (.)', () => studio.send({ type: 'single' }), ICONS.step)), this.speed, named('reset', button('', 'Reset (R)', () => studio.send({ type: 'reset' }), ICONS.reset)), this.clock),
      element('span', { class: 'divider' }),
      this.grasp,
      element('span', { class: 'spring' }),
      group(this.record, named('load', load), this.file, named('screenshot', button('', 'Save a picture (C)', () => actions.screenshot(), ICONS.camera)), this.vr),
    );
    this.play.id = 'play';
    studio.on('state', () => this.refresh());
    studio.on('options', () => this.refresh());
    studio.on('frame', (frame) => {
      const now = performance.now();
      if (now - this.clockSet < CLOCK_MS) return;
      this.clockSet = now;
      this.clock.textContent = `${frame.time.toFixed(2)} s`;
    });
    studio.on('recorded', (recorded) => this.download(recorded));
    this.refresh();
  }

  playOrPause(): void {
    this.studio.send({ type: this.studio.state?.playing ? 'pause' : 'play' });
  }

  private modeSwitch(): HTMLElement {
    const strip = element('div', { class: 'segments modes', role: 'group', aria: { label: 'Who drives the hand' } });
    const offer: [Mode, string, string][] = [
      ['script', 'Watch', 'The scene’s own script drives the hand'],
      ['mouse', 'Play', 'You drive the hand with mouse and keys'],
      ['recording', 'Replay', 'A loaded recording drives the hand'],
    ];
    for (const [mode, label, title] of offer) {
      const segment = element('button', { type: 'button', text: label, title, data: { mode } });
      segment.addEventListener('click', () => this.choose(mode));
      this.modes.set(mode, segment);
      strip.append(segment);
    }
    return strip;
  }

  private choose(mode: Mode): void {
    if (mode === 'mouse') {
      this.driver.takeOver(this.driver.hand);
    } else if (mode === 'recording' && !this.studio.state?.replayable) {
      this.file.click();
    } else {
      // The scene begins anew with it, and what is playing already stays.
      if (mode !== this.studio.state?.mode) this.studio.send({ type: 'mode', value: mode });
      else this.studio.send({ type: 'reset' });
      this.studio.send({ type: 'play' });
    }
  }

  private toggleGrasp(): void {
    if (!this.studio.controls) {
      this.actions.tellWatching();
      return;
    }
    if (!this.driver.isActive) this.driver.takeOver(this.driver.hand);
    const open = this.driver.closing < 0.5;
    this.driver.close(open ? 1 : 0);
    this.grasp.setAttribute('aria-pressed', String(open));
  }

  private nextSpeed(): void {
    const now = this.studio.state?.speed ?? 1;
    const at = SPEEDS.findIndex((speed) => Math.abs(speed - now) < 1e-6);
    this.studio.send({ type: 'speed', value: SPEEDS[(at + 1) % SPEEDS.length] ?? 1 });
  }

  private async loadFile(): Promise<void> {
    const file = this.file.files?.[0];
    this.file.value = '';
    if (!file) return;
    if (file.size > MOST_RECORDING_BYTES) {
      this.actions.tell(`${file.name} has ${(file.size / (1 << 20)).toFixed(0)} MiB`, 'Recordings of up to 64 MiB can be loaded here; thenar replay takes any.');
      return;
    }
    if (!this.studio.controls) {
      this.actions.tellWatching();
      return;
    }
    this.studio.upload(file.name, await file.arrayBuffer());
  }

  private download({ url, seconds, name }: RecordedMessage): void {
    // Whoever only watches did not ask for it.
    if (!this.studio.controls) return;
    const link = element('a');
    link.href = url;
    link.download = name ?? `thenar-${this.studio.scene?.name ?? 'scene'}.mcap`;
    link.click();
    this.actions.tell(`Recorded ${seconds.toFixed(1)} s`, 'thenar replay checks it bit for bit.');
  }

  private refresh(): void {
    const state = this.studio.state;
    const playing = state?.playing ?? false;
    this.play.querySelector('.icon')!.innerHTML = playing ? ICONS.pause : ICONS.play;
    this.play.title = playing ? 'Pause (P)' : 'Play (P)';
    this.play.setAttribute('aria-label', this.play.title);
    const speed = state?.speed ?? 1;
    this.speed.querySelector('.label')!.textContent = `${Number(speed.toFixed(2))}×`;
    this.speed.setAttribute('aria-pressed', String(speed < 1));
    this.record.setAttribute('aria-pressed', String(state?.recording ?? false));
    this.record.querySelector('.label')!.textContent = state?.recording ? 'Stop' : 'Record';
    this.record.title = state?.recording ? STOPS : RECORDS;
    this.record.setAttribute('aria-label', this.record.title);
    for (const [mode, segment] of this.modes) segment.setAttribute('aria-pressed', String(mode === state?.mode));
    const { whyNoGrasp } = this.driver;
    this.grasp.disabled = whyNoGrasp !== undefined;
    this.grasp.title = whyNoGrasp ?? CLOSES;
    this.grasp.setAttribute('aria-label', this.grasp.title);
    this.grasp.setAttribute('aria-pressed', String(!whyNoGrasp && this.driver.isActive && this.driver.closing >= 0.5));
  }
}

function group(...children: Node[]): HTMLElement {
  return element('div', { class: 'group' }, ...children);
}

function named(id: string, node: HTMLButtonElement): HTMLButtonElement {
  node.id = id;
  return node;
}
