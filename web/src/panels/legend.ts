// The colour scale of the pressure map.

import { element } from '../dom';
import type { Studio } from '../studio';
import type { SceneView } from '../view/scene_view';
import { HEAT_GRADIENT } from '../view/skin';

export class Legend {
  private readonly most = element('span');

  constructor(
    private readonly box: HTMLElement,
    studio: Studio,
    content: () => SceneView | undefined,
  ) {
    const bar = element('i');
    bar.style.background = HEAT_GRADIENT;
    box.append(element('span', { text: '0' }), bar, this.most);
    studio.on('frame', () => {
      if (box.hidden) return;
      const scale = content()?.hands.reduce((most, hand) => Math.max(most, hand.skin?.heatScale ?? 0), 0) ?? 0;
      this.most.textContent = `${(scale / 1000).toFixed(scale < 10_000 ? 1 : 0)} kPa`;
    });
  }

  show(on: boolean): void {
    this.box.hidden = !on;
  }
}
