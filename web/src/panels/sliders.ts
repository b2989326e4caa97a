// Friction, mass, stiffness and the like, as the server offers them.

import { element } from '../dom';
import type { SliderOption } from '../protocol/messages';
import type { Studio } from '../studio';
import { Slider } from './slider';

const BUILT_ANEW = 'Another engine moves the things of this scene and begins anew with it: they stay where they are, and the fingers close again around what they hold.';

export class SlidersPanel {
  readonly root = element('div', { class: 'sliders' });
  private offer = '';
  private readonly sliders = new Map<string, Slider>();

  constructor(
    private readonly studio: Studio,
    private readonly tell: (message: string) => void,
  ) {
    studio.on('options', (options) => {
      const offer = JSON.stringify(options.sliders.map(({ value: _, ...rest }) => rest));
      if (offer !== this.offer) {
        this.offer = offer;
        this.fill(options.sliders);
      }
      for (const { key, value } of options.sliders) this.sliders.get(key)?.show(value);
    });
  }

  /** Says beforehand what a value takes; what is refused needs no word of it. */
  private choose({ key, rebuilds }: SliderOption, value: number): void {
    if (rebuilds && this.studio.controls && !this.studio.state?.recording) this.tell(BUILT_ANEW);
    this.studio.send({ type: 'set', key, value });
  }

  private fill(options: SliderOption[]): void {
    this.root.replaceChildren();
    this.sliders.clear();
    for (const option of options) {
      const slider = new Slider(option, (value) => this.choose(option, value));
      if (option.rebuilds) slider.root.title = BUILT_ANEW;
      slider.input.dataset['slider'] = option.key;
      this.sliders.set(option.key, slider);
      this.root.append(slider.root);
    }
  }
}
