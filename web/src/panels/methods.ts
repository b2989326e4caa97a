// Presets and methods: one row of buttons each, and each acts while the simulation runs.

import { element } from '../dom';
import type { Setting, SwitchOption } from '../protocol/messages';
import type { Studio } from '../studio';
import { title } from './scenes';

const MEASURES = 'hand';

export class MethodsPanel {
  readonly root = element('div', { class: 'methods' });
  /** Whose hand it is; stands with the other controls of the hand. */
  readonly measures = element('div', { class: 'methods' });
  private offer = '';
  private readonly rows = new Map<string, Map<string, HTMLButtonElement>>();

  constructor(private readonly studio: Studio) {
    studio.on('options', (options) => this.take(options.switches));
    studio.on('sent', (message) => {
      if (message.type === 'set') this.mark(message.key, message.value);
    });
  }

  /** Rows are made anew only when what they offer has changed: a button that is being pressed stays. */
  private take(switches: SwitchOption[]): void {
    const offer = JSON.stringify(switches.map(({ key, label, values }) => [key, label, values]));
    if (offer !== this.offer) {
      this.offer = offer;
      this.fill(switches);
    }
    for (const { key, value } of switches) this.mark(key, value);
  }

  private fill(switches: SwitchOption[]): void {
    this.root.replaceChildren();
    this.measures.replaceChildren();
    this.rows.clear();
    for (const option of switches) (option.key === MEASURES ? this.measures : this.root).append(this.row(option));
  }

  private row(option: SwitchOption): HTMLElement {
    const buttons = new Map<string, HTMLButtonElement>();
    const strip = element('div', { class: 'segments', role: 'group', aria: { label: option.label } });
    for (const value of option.values) {
      const segment = element('button', { type: 'button', text: title(value), data: { value } });
      segment.addEventListener('click', () => this.studio.send({ type: 'set', key: option.key, value }));
      buttons.set(value, segment);
      strip.append(segment);
    }
    this.rows.set(option.key, buttons);
    const row = element('div', { class: option.values.join(' ').length > 24 ? 'row wide' : 'row', data: { switch: option.key } }, element('span', { class: 'row-label', text: option.label }), strip);
    if (option.live === false) row.title = 'The scene starts again with it';
    return row;
  }

  private mark(key: string, value: Setting): void {
    for (const [name, segment] of this.rows.get(key) ?? []) segment.setAttribute('aria-pressed', String(name === String(value)));
  }
}
