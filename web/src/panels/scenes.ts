// The scene library as cards with pictures.

import { element } from '../dom';
import type { SceneCard } from '../protocol/messages';
import type { Studio } from '../studio';

export class ScenesPanel {
  private readonly cards = new Map<string, HTMLButtonElement>();

  constructor(
    private readonly list: HTMLElement,
    private readonly studio: Studio,
  ) {
    studio.on('hello', (hello) => this.fill(hello.scenes));
    studio.on('scene', (scene) => this.mark(scene.name, scene.case));
  }

  private fill(scenes: SceneCard[]): void {
    this.list.replaceChildren();
    this.cards.clear();
    let group: string | undefined;
    for (const scene of scenes) {
      if (scene.group && scene.group !== group) {
        group = scene.group;
        this.list.append(element('h3', { class: 'group', text: title(group) }));
      }
      const card = this.card(scene);
      this.cards.set(scene.name, card);
      this.list.append(card);
      if (scene.cases?.length) this.list.append(this.gallery(scene.name, scene.cases));
    }
    if (this.studio.scene) this.mark(this.studio.scene.name, this.studio.scene.case);
  }

  private card(scene: SceneCard): HTMLButtonElement {
    const card = element('button', { class: 'card', type: 'button', title: scene.story, data: { scene: scene.name } });
    const frame = element('span', { class: 'thumb' });
    if (scene.picture) {
      const picture = element('img');
      picture.alt = '';
      picture.loading = 'lazy';
      picture.decoding = 'async';
      picture.src = scene.picture;
      picture.onerror = () => picture.remove();
      frame.append(picture);
    }
    frame.append(element('span', { class: 'initial', text: title(scene.name).slice(0, 1) }));
    card.append(frame, element('span', { class: 'name', text: title(scene.name) }));
    card.addEventListener('click', () => this.studio.send({ type: 'load', scene: scene.name }));
    return card;
  }

  /** The cases of a scene; shown while it is loaded. */
  private gallery(scene: string, cases: string[]): HTMLElement {
    const gallery = element('div', { class: 'cases', role: 'group', aria: { label: `Cases of ${title(scene)}` }, data: { cases: scene } });
    for (const name of cases) {
      const chip = element('button', { type: 'button', class: 'chip', text: title(name), data: { case: name } });
      chip.addEventListener('click', () => this.studio.send({ type: 'load', scene, case: name }));
      gallery.append(chip);
    }
    gallery.hidden = true;
    return gallery;
  }

  private mark(name: string, chosen: string | null | undefined): void {
    for (const gallery of this.list.querySelectorAll<HTMLElement>('.cases')) {
      gallery.hidden = gallery.dataset['cases'] !== name;
      for (const chip of gallery.querySelectorAll<HTMLElement>('.chip')) chip.setAttribute('aria-pressed', String(!gallery.hidden && chip.dataset['case'] === chosen));
    }
    for (const [scene, card] of this.cards) {
      const current = scene === name;
      card.classList.toggle('current', current);
      card.setAttribute('aria-pressed', String(current));
      if (current) this.reveal(card);
    }
    // Below its card, so after it.
    const gallery = this.list.querySelector('.cases:not([hidden])');
    if (gallery) this.reveal(gallery);
  }

  /** Scrolls the list and nothing else: on a phone the page would go with it, away from the picture. */
  private reveal(node: Element): void {
    const [box, room] = [node.getBoundingClientRect(), this.list.getBoundingClientRect()];
    this.list.scrollTop += least(box.top - room.top, box.bottom - room.bottom);
    this.list.scrollLeft += least(box.left - room.left, box.right - room.right);
  }
}

/** The shortest way into the room, from how far both ends are beyond its ends; where there is no room for both, to the first. */
function least(first: number, last: number): number {
  return first < 0 ? first : Math.max(0, Math.min(first, last));
}

/** `lift-weak` becomes “Lift weak”. */
export function title(name: string): string {
  const words = name.replaceAll('-', ' ').replaceAll('_', ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
