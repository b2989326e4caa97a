// One line that teaches, until the newcomer has done what it says.

import { element } from '../dom';
import type { HandDriver } from '../input/hand_driver';
import type { Studio } from '../studio';
import type { SceneView } from '../view/scene_view';

const KEY = 'thenar.lifted';
/** Of air under the object. */
const LIFTED_METRES = 0.03;
const FALLEN_METRES = -0.15;

type Stage = 'invite' | 'fallen' | 'lost' | 'lower' | 'grasp' | 'lift' | 'done' | 'jointless' | 'handless' | 'device';

/** Told to those who have lifted something before, too. */
const NEWS: ReadonlySet<Stage> = new Set<Stage>(['fallen', 'lost', 'jointless', 'handless', 'device']);

const SPECIAL = {
  fallen: 'It fell · it comes back by itself in a moment',
  lost: 'It fell · a recording holds nothing but hands, so it comes back when you <b>stop recording</b>',
  jointless: 'This hand has <b>no joints</b>: it cannot grasp · choose another <b>preset</b> to hold things',
  handless: 'No hand here: tools are moved by force feedback · choose <b>Force feedback → Mouse</b>',
  device: '<b>Drag the violet dot</b> to move the tool · what you press on holds it back',
};

const MOUSE: Record<Stage, string> = {
  ...SPECIAL,
  invite: '<b>Drag the hand</b> to take it · <kbd>scroll</kbd> for depth · hold <kbd>Space</kbd> to grasp',
  lower: '<b>Drag it down</b> over the object · <kbd>scroll</kbd> moves it away or closer',
  grasp: 'Now <b>hold <kbd>Space</kbd></b> to close the hand',
  lift: 'Keep holding <kbd>Space</kbd> and <b>drag up</b>',
  done: '<b>You lifted it.</b> Try Pressure and Forces on the right, or another contact method',
};

const TOUCH: Record<Stage, string> = {
  ...SPECIAL,
  invite: '<b>Drag the hand</b> to take it · the arrows move it away or closer · <b>Grasp</b> closes it',
  lower: '<b>Drag it down</b> over the object · the arrows move it away or closer',
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
  /** The script had lifted it, whoever holds it now. */
  private byScript = false;
  private learned = localStorageGet(KEY) === 'yes';
  /** What was read and closed in this scene. */
  private closed: Stage | undefined;

  constructor(
    private readonly box: HTMLElement,
    private readonly studio: Studio,
    private readonly driver: HandDriver,
    private readonly content: () => SceneView | undefined,
  ) {
    const close = element('button', { type: 'button', class: 'hint-close', text: '×', title: 'Hide this', aria: { label: 'Hide this hint' } });
    close.addEventListener('click', () => this.close());
    box.append(this.text, close);
    studio.on('scene', (scene) => {
      if (!scene.continues) {
        this.restHeight = this.closed = undefined;
        this.byScript = false;
      }
      if (this.stage !== 'done' || !scene.continues) this.stage = 'invite';
    });
    studio.on('frame', () => this.watch());
    studio.on('state', () => this.draw());
    this.draw();
  }

  /** Shown again on request. */
  show(): void {
    this.learned = false;
    this.closed = undefined;
    this.stage = this.driver.isActive ? 'lower' : 'invite';
    this.draw();
  }

  private watch(): void {
    const before = this.stage;
    this.stage = this.unable() ?? this.progress();
    if (before !== this.stage) this.draw();
  }

  /** What there is to know of a hand that cannot grasp, or is not there. */
  private unable(): Stage | undefined {
    if (!this.driver.whyNoGrasp) return undefined;
    if (this.studio.scene?.hands.length !== 0) return 'jointless';
    return this.driver.isDevice ? 'device' : 'handless';
  }

  private progress(): Stage {
    const height = this.content()?.heightOfFirst();
    if (height === undefined) return 'invite';
    this.restHeight ??= height;
    const clearance = height - this.restHeight;
    const lifted = clearance > LIFTED_METRES;
    this.box.dataset['lifted'] = String(lifted);
    if (this.driver.isActive && clearance < FALLEN_METRES) return this.studio.state?.recording ? 'lost' : 'fallen';
    if (this.stage === 'done') {
      if (!this.learned && performance.now() - this.doneAt > 6000) this.finish();
      return 'done';
    }
    if (!this.driver.isActive || !lifted) this.byScript = lifted;
    if (!this.driver.isActive) return 'invite';
    if (lifted && !this.byScript) {
      this.doneAt = performance.now();
      return 'done';
    }
    if ((this.studio.frame?.skinContacts ?? 0) > 8 && this.driver.closing > 0.5) return 'lift';
    return this.driver.isAtSomething ? 'grasp' : 'lower';
  }

  private draw(): void {
    this.box.hidden = (this.learned && !NEWS.has(this.stage)) || this.stage === this.closed || (this.studio.state !== undefined && !this.studio.controls);
    this.box.dataset['stage'] = this.stage;
    this.text.innerHTML = (isTouch() ? TOUCH : MOUSE)[this.stage];
  }

  private close(): void {
    if (!NEWS.has(this.stage)) return this.finish();
    this.closed = this.stage;
    this.draw();
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
