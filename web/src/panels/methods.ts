// Presets and methods: one row of buttons each, and each acts while the simulation runs.

import { element } from '../dom';
import type { SwitchOption, SwitchValue } from '../protocol/messages';
import type { Studio } from '../studio';
import { title } from './scenes';

export class MethodsPanel {
  readonly root = element('div', { class: 'methods' });
  private readonly rows = new Map<string, Map<string, HTMLButtonElement>>();

  constructor(private readonly studio: Studio) {
    studio.on('hello', (hello) => this.fill(hello.options.switches));
    studio.on('scene', (scene) => {
      for (const [key, value] of Object.entries(scene.switches ?? {})) this.mark(key, value);
    });
    studio.on('sent', (message) => {
      if (message.type === 'set') this.mark(message.key, message.value);
    });
  }

  private fill(switches: SwitchOption[]): void {
    this.root.replaceChildren();
    this.rows.clear();
    for (const option of switches) this.root.append(this.row(option));
  }

  private row(option: SwitchOption): HTMLElement {
    const buttons = new Map<string, HTMLButtonElement>();
    const strip = element('div', { class: 'segments', role: 'group', aria: { label: option.label } });
    for (const value of option.values) {
      const segment = element('button', { type: 'button', text: words(value), data: { value: String(value) } });
      const reason = option.disabled?.[String(value)];
      if (reason) {
        segment.disabled = true;
        segment.title = reason;
      }
      segment.addEventListener('click', () => this.studio.send({ type: 'set', key: option.key, value }));
      buttons.set(String(value), segment);
      strip.append(segment);
    }
    this.rows.set(option.key, buttons);
    const row = element('div', { class: option.values.length > 3 ? 'row wide' : 'row', data: { switch: option.key } }, element('span', { class: 'row-label', text: option.label }), strip);
    if (option.live === false) row.title = 'Takes effect at the next reset';
    this.mark(option.key, option.value);
    return row;
  }

  private mark(key: string, value: SwitchValue): void {
    for (const [name, segment] of this.rows.get(key) ?? []) segment.setAttribute('aria-pressed', String(name === String(value)));
  }
}

function words(value: SwitchValue): string {
  if (value === true) return 'On';
  if (value === false) return 'Off';
  return typeof value === 'number' ? String(value) : title(value);
}
