// What is shown in the picture.

import { element } from '../dom';
import type { Studio } from '../studio';
import { NOTHING_EXTRA, SHOWN_LABELS, TACTILE_TITLE, type Shown } from '../view/shown';

export class ShowPanel {
  readonly root = element('div', { class: 'chips', role: 'group', aria: { label: 'Show' } });
  readonly shown: Shown = { ...NOTHING_EXTRA };
  private readonly chips = new Map<keyof Shown, HTMLButtonElement>();

  constructor(
    private readonly studio: Studio,
    private readonly onChange: (shown: Shown) => void,
  ) {
    for (const [key, label, title] of SHOWN_LABELS) {
      const chip = element('button', { type: 'button', class: 'chip', text: label, title, data: { show: key }, aria: { pressed: 'false' } });
      chip.addEventListener('click', () => this.set(key, !this.shown[key]));
      this.chips.set(key, chip);
      this.root.append(chip);
    }
    this.offerTactile(false);
    studio.on('frame', (frame) => this.offerTactile(frame.tactile.size > 0));
    studio.on('hello', () => this.tellServer());
  }

  set(key: keyof Shown, on: boolean): void {
    this.shown[key] = on;
    this.chips.get(key)?.setAttribute('aria-pressed', String(on));
    this.tellServer();
    this.onChange(this.shown);
  }

  private offerTactile(offered: boolean): void {
    const chip = this.chips.get('tactile');
    if (!chip || chip.disabled === !offered) return;
    chip.disabled = !offered;
    chip.title = offered ? TACTILE_TITLE : 'No tactile device in this simulation yet';
  }

  /** Bones are always wanted: the pointer finds the hand by them. */
  private tellServer(): void {
    this.studio.send({ type: 'want', tets: this.shown.tets, contacts: this.shown.contacts || this.shown.forces || this.shown.pressure, tracked: this.shown.tracked, bones: true, tactile: this.shown.tactile });
  }
}
