// Keys: space closes the hand, digits bend fingers, letters and arrows move and turn it.

import { Vector3 } from 'three';
import type { Studio } from '../studio';
import type { Preset } from '../view/director';
import type { Stage } from '../view/stage';
import type { HandDriver } from './hand_driver';

const METRES_PER_SECOND = 0.16;
const RADIANS_PER_SECOND = 1.4;
const UP = new Vector3(0, 1, 0);

export interface Commands {
  playOrPause(): void;
  single(): void;
  reset(): void;
  screenshot(): void;
  help(): void;
  lookAtAll(): void;
  lookFrom(preset: Preset): void;
  fullscreen(): void;
  tell(message: string): void;
  tellWatching(): void;
}

const DRIVING = new Set(['KeyW', 'KeyA', 'KeyS', 'KeyD', 'KeyQ', 'KeyE', 'KeyZ', 'KeyX', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Space', 'Digit1', 'Digit2', 'Digit3', 'Digit4', 'Digit5']);

export class KeyboardInput {
  private readonly held = new Set<string>();
  private reaching = 0;

  constructor(
    private readonly stage: Stage,
    private readonly studio: Studio,
    private readonly driver: HandDriver,
    private readonly commands: Commands,
  ) {
    window.addEventListener('keydown', (event) => this.press(event));
    window.addEventListener('keyup', (event) => this.release(event.code));
    window.addEventListener('blur', () => [...this.held].forEach((code) => this.release(code)));
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isUsingKeys(event) || document.querySelector('dialog[open]')) return;
    if (DRIVING.has(event.code)) {
      event.preventDefault();
      if (event.repeat) return;
      if (!this.studio.controls) return this.commands.tellWatching();
      const bends = event.code === 'Space' || event.code.startsWith('Digit');
      if (bends && this.driver.whyNoGrasp) return this.commands.tell(this.driver.whyNoGrasp);
      if (!this.driver.isActive) this.driver.takeOver(this.driver.hand);
      this.held.add(event.code);
      if (event.code === 'Space') this.driver.close(1);
      if (event.code.startsWith('Digit')) this.driver.curl(Number(event.code.slice(5)) - 1, 1);
      return;
    }
    if (event.repeat) return;
    const command = this.command(event.key);
    if (!command) return;
    event.preventDefault();
    command();
  }

  private command(key: string): (() => void) | undefined {
    switch (key) {
      case 'p':
        return this.commands.playOrPause;
      case '.':
        return this.commands.single;
      case 'r':
        return this.commands.reset;
      case 'c':
        return this.commands.screenshot;
      case '?':
        return this.commands.help;
      case 'f':
        return this.commands.fullscreen;
      case '0':
        return this.commands.lookAtAll;
      case '6':
        return () => this.commands.lookFrom('thumb');
      case '7':
        return () => this.commands.lookFrom('palm');
      case '8':
        return () => this.commands.lookFrom('first-person');
      default:
        return undefined;
    }
  }

  /** As W and S do, for who has no keys: 1 away from the viewer, −1 closer, 0 neither. */
  reach(direction: number): void {
    if (direction !== 0 && !this.studio.controls) return;
    if (direction !== 0 && !this.driver.isActive) this.driver.takeOver(this.driver.hand);
    this.reaching = direction;
  }

  private release(code: string): void {
    if (!this.held.delete(code)) return;
    if (code === 'Space') this.driver.close(0);
    if (code.startsWith('Digit')) this.driver.curl(Number(code.slice(5)) - 1, 0);
  }

  /** Moves the hand while keys are held. */
  update(seconds: number): void {
    this.driver.grip.hold('keys', this.reaching !== 0 || [...this.held].some((code) => code.startsWith('Key') || code.startsWith('Arrow')));
    if (this.held.size === 0 && this.reaching === 0) return;
    const is = (...codes: string[]): number => (codes.some((code) => this.held.has(code)) ? 1 : 0);
    const { orbit } = this.stage;
    const step = METRES_PER_SECOND * seconds;
    const side = is('KeyD', 'ArrowRight') - is('KeyA', 'ArrowLeft');
    const ahead = is('KeyW') - is('KeyS') + this.reaching;
    const up = is('ArrowUp') - is('ArrowDown');
    if (side || ahead || up) {
      this.driver.move(
        orbit
          .right()
          .multiplyScalar(side * step)
          .addScaledVector(orbit.ahead(), ahead * step)
          .addScaledVector(UP, up * step),
      );
    }
    const roll = is('KeyQ') - is('KeyE');
    if (roll) this.driver.roll(roll * RADIANS_PER_SECOND * seconds);
    const yaw = is('KeyZ') - is('KeyX');
    if (yaw) this.driver.turn(UP, yaw * RADIANS_PER_SECOND * seconds);
  }
}

/** Controls that have the focus keep the keys that they need themselves. */
function isUsingKeys(event: KeyboardEvent): boolean {
  const { target } = event;
  if (target instanceof HTMLInputElement) return true;
  const isControl = target instanceof HTMLButtonElement || (target instanceof HTMLElement && target.tagName === 'SUMMARY');
  return isControl && (event.code === 'Space' || event.code === 'Enter' || event.code.startsWith('Arrow'));
}
