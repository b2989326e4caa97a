// From where the scene is seen: a short column of buttons beside the picture, and two for the depth where there is no wheel.

import { button, element } from '../dom';
import type { Preset } from '../view/director';
import { ICONS } from './icons';

const PRESETS: readonly (readonly [Preset, string, string])[] = [
  ['thumb', 'From the thumb’s side (6)', ICONS.thumb],
  ['palm', 'Into the palm (7)', ICONS.palm],
  ['first-person', 'Over the hand, as your own eyes see it (8)', ICONS.eye],
];

export interface ViewActions {
  lookAtAll(): void;
  lookFrom(preset: Preset): void;
  /** Away from the viewer: 1; closer: −1; let go: 0. */
  reach(direction: number): void;
}

export class ViewTools {
  private readonly fullscreen: HTMLButtonElement;

  constructor(tools: HTMLElement, depth: HTMLElement, actions: ViewActions) {
    const all = button('', 'Look at everything again (0)', () => actions.lookAtAll(), ICONS.everything);
    all.id = 'frame-view';
    tools.append(all);
    for (const [preset, title, icon] of PRESETS) {
      const look = button('', title, () => actions.lookFrom(preset), icon);
      look.dataset['preset'] = preset;
      tools.append(look);
    }
    this.fullscreen = button('', 'Full screen (F)', () => this.toggleFullscreen(), ICONS.fullscreen);
    this.fullscreen.id = 'fullscreen';
    // Some phones have no such thing.
    this.fullscreen.hidden = !document.fullscreenEnabled;
    tools.append(element('span', { class: 'divider' }), this.fullscreen);
    document.addEventListener('fullscreenchange', () => this.label());
    depth.append(held('Hold: the hand goes away from you', ICONS.away, (on) => actions.reach(on ? 1 : 0)), held('Hold: the hand comes closer', ICONS.closer, (on) => actions.reach(on ? -1 : 0)));
  }

  toggleFullscreen(): void {
    // A browser may refuse, for example inside another page; then nothing changes.
    if (document.fullscreenElement) void document.exitFullscreen().catch(() => undefined);
    else void document.documentElement.requestFullscreen().catch(() => undefined);
  }

  private label(): void {
    const isFull = document.fullscreenElement !== null;
    this.fullscreen.querySelector('.icon')!.innerHTML = isFull ? ICONS.smaller : ICONS.fullscreen;
    this.fullscreen.title = isFull ? 'Leave full screen (F)' : 'Full screen (F)';
    this.fullscreen.setAttribute('aria-label', this.fullscreen.title);
    this.fullscreen.setAttribute('aria-pressed', String(isFull));
  }
}

/** A button that acts while it is held. */
function held(title: string, icon: string, act: (on: boolean) => void): HTMLButtonElement {
  const node = button('', title, () => undefined, icon);
  node.addEventListener('pointerdown', (event) => {
    node.setPointerCapture(event.pointerId);
    act(true);
  });
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) node.addEventListener(end, () => act(false));
  node.addEventListener('contextmenu', (event) => event.preventDefault());
  return node;
}
