// Friction, mass, stiffness and the like, as the server offers them.

import { element } from '../dom';
import type { SliderOption } from '../protocol/messages';
import type { Studio } from '../studio';
import { Slider } from './slider';

export class SlidersPanel {
  readonly root = element('div', { class: 'sliders' });
  private offer = '';
  private readonly sliders = new Map<string, Slider>();

  constructor(private readonly studio: Studio) {
    studio.on('options', (options) => {
      const offer = JSON.stringify(options.sliders.map(({ value: _, ...rest }) => rest));
      if (offer !== this.offer) {
        this.offer = offer;
        this.fill(options.sliders);
      }
      for (const { key, value } of options.sliders) this.sliders.get(key)?.show(value);
    });
  }

  private fill(options: SliderOption[]): void {
    this.root.replaceChildren();
    this.sliders.clear();
    for (const option of options) {
      const slider = new Slider(option, (value) => this.studio.send({ type: 'set', key: option.key, value }));
      slider.input.dataset['slider'] = option.key;
      this.sliders.set(option.key, slider);
      this.root.append(slider.root);
    }
  }
}
