// One line that teaches, until the newcomer has done what it says.

import { element } from '../dom';
import type { HandDriver } from '../input/hand_driver';
import type { Studio } from '../studio';
import type { SceneView } from '../view/scene_view';

const KEY = 'thenar.lifted';
/** Of air under the object. */
const LIFTED_METRES = 0.03;
const FALLEN_METRES = -0.15;

type Stage = 'invite' | 'fallen' | 'lower' | 'grasp' | 'lift' | 'done';

const MOUSE: Record<Stage, string> = {
  invite: '<b>Drag the hand</b> to take it · <kbd>scroll</kbd> for depth · hold <kbd>Space</kbd> to grasp',
  fallen: 'It fell · it comes back by itself in a moment',
  lower: '<b>Drag it down</b> onto the object · <kbd>scroll</kbd> moves it away or closer',
  grasp: 'Now <b>hold <kbd>Space</kbd></b> to close the hand',
  lift: 'Keep holding <kbd>Space</kbd> and <b>drag up</b>',
  done: '<b>You lifted it.</b> Try Pressure and Forces on the right, or another contact method',
};

const TOUCH: Record<Stage, string> = {
  invite: '<b>Drag the hand</b> to take it · the arrows move it away or closer · <b>Grasp</b> closes it',
  fallen: 'It fell · it comes back by itself in a moment',
  lower: '<b>Drag it down</b> onto the object',
  grasp: 'Now press <b>Grasp</b>',
  lift: 'Now <b>drag it up</b>',
  done: '<b>You lifted it.</b>',
};

export class Hint {
  private readonly text = element('span');
  private stage: Stage = 'invite';
  private doneAt = 0;
  /** Of the object when the scene began. */
  private restHeight: number | undefined;
  private learned = localStorageGet(KEY) === 'yes';

  constructor(
    private readonly box: HTMLElement,
    private readonly studio: Studio,
    private readonly driver: HandDriver,
    private readonly content: () => SceneView | undefined,
  ) {
    const close = element('button', { type: 'button', class: 'hint-close', text: '×', title: 'Hide this', aria: { label: 'Hide this hint' } });
    close.addEventListener('click', () => this.finish());
    box.append(this.text, close);
    studio.on('scene', (scene) => {
      if (!scene.continues) this.restHeight = undefined;
      if (this.stage !== 'done') this.stage = 'invite';
    });
    studio.on('frame', () => this.watch());
    studio.on('state', () => this.draw());
    this.draw();
  }

  /** Shown again on request. */
  show(): void {
    this.learned = false;
    this.stage = this.driver.isActive ? 'lower' : 'invite';
    this.draw();
  }

  private watch(): void {
    const object = this.content()?.firstLoose();
    if (!object) return;
    this.restHeight ??= object.position.y;
    const clearance = object.position.y - this.restHeight;
    const lifted = clearance > LIFTED_METRES;
    this.box.dataset['lifted'] = String(lifted);
    const before = this.stage;
    if (this.driver.isActive && clearance < FALLEN_METRES) this.stage = 'fallen';
    else if (this.stage === 'done') {
      if (!this.learned && performance.now() - this.doneAt > 6000) this.finish();
    } else if (!this.driver.isActive) this.stage = 'invite';
    else if (lifted) {
      this.stage = 'done';
      this.doneAt = performance.now();
    } else if ((this.studio.frame?.skinContacts ?? 0) > 8 && this.driver.closing > 0.5) this.stage = 'lift';
    else if (this.driver.target.y - object.position.y < object.half.y + 0.03) this.stage = 'grasp';
    else this.stage = 'lower';
    if (before !== this.stage) this.draw();
  }

  private draw(): void {
    this.box.hidden = (this.learned && this.stage !== 'fallen') || (this.studio.state !== undefined && !this.studio.controls);
    this.box.dataset['stage'] = this.stage;
    this.text.innerHTML = (isTouch() ? TOUCH : MOUSE)[this.stage];
  }

  private finish(): void {
    this.learned = true;
    localStorageSet(KEY, 'yes');
    this.draw();
  }
}

function isTouch(): boolean {
  return window.matchMedia('(pointer: coarse)').matches;
}

function localStorageGet(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function localStorageSet(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Private windows may refuse: the hint then comes back at the next visit.
  }
}
