// Whether somebody holds the mouse as a haptic device: by dragging, by keys or by the wheel.

import type { Studio } from '../studio';

/** The server lets go of a page that it has not heard for a second. */
const BEAT_MS = 100;
/** A turn of the wheel holds the device for so long. */
const NUDGE_MS = 600;

export class Grip {
  private readonly holders = new Set<string>();
  private nudgedUntil = -Infinity;
  private told = false;
  private toldAt = -Infinity;

  /** `matters` says whether a device is there to be held; `beat` follows each word that it is. */
  constructor(
    private readonly studio: Studio,
    private readonly matters: () => boolean,
    private readonly beat: () => void,
  ) {
    window.addEventListener('blur', () => this.letGo());
    // However slowly a page draws, it goes on holding.
    window.setInterval(() => this.tell(), BEAT_MS);
  }

  get isHeld(): boolean {
    return this.holders.size > 0 || performance.now() < this.nudgedUntil;
  }

  hold(holder: string, on: boolean): void {
    if (on) this.holders.add(holder);
    else this.holders.delete(holder);
  }

  nudge(): void {
    this.nudgedUntil = performance.now() + NUDGE_MS;
  }

  private letGo(): void {
    this.holders.clear();
    this.nudgedUntil = -Infinity;
  }

  /** Tells the server, again and again while it is held. */
  tell(): void {
    const held = this.matters() && this.isHeld;
    const now = performance.now();
    if (held === this.told && (!held || now - this.toldAt < BEAT_MS)) return;
    this.told = held;
    this.toldAt = now;
    this.studio.send({ type: 'hold', on: held });
    if (held) this.beat();
  }
}
