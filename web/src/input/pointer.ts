// The pointer on the picture: on the hand it moves the hand, elsewhere it turns the view.

import { Vector3 } from 'three';
import type { Studio } from '../studio';
import type { Stage } from '../view/stage';
import type { HandDriver } from './hand_driver';

/** Pixels around a bone within which a press takes the hand. */
const REACH_PIXELS = 46;
const WHEEL_METRES = 0.00022;

type Gesture = 'hand' | 'turn' | 'pan';

export class PointerInput {
  private gesture: Gesture | undefined;
  private readonly touches = new Map<number, { x: number; y: number }>();
  private pinch = 0;

  constructor(
    private readonly stage: Stage,
    private readonly studio: Studio,
    private readonly driver: HandDriver,
    /** Told when somebody takes the hand on a page that only watches. */
    private readonly refuse: () => void,
  ) {
    const { canvas } = stage;
    canvas.addEventListener('pointerdown', (event) => this.press(event));
    canvas.addEventListener('pointermove', (event) => this.drag(event));
    canvas.addEventListener('pointerup', (event) => this.release(event));
    canvas.addEventListener('pointercancel', (event) => this.release(event));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
  }

  private press(event: PointerEvent): void {
    const { canvas } = this.stage;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    this.touches.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (this.touches.size > 1) {
      this.gesture = 'turn';
      this.driver.grip.hold('pointer', false);
      this.pinch = this.spread();
      return;
    }
    const hand = this.handAt(event.offsetX, event.offsetY) ?? this.deviceAt(event.offsetX, event.offsetY);
    if (event.button === 1) this.gesture = 'pan';
    else if (event.button === 2 || event.shiftKey || hand === undefined) this.gesture = 'turn';
    else if (!this.studio.controls) {
      this.refuse();
      return;
    }
    else {
      this.gesture = 'hand';
      this.driver.takeOver(hand);
      this.driver.grip.hold('pointer', true);
    }
    canvas.style.cursor = this.gesture === 'hand' ? 'grabbing' : 'move';
  }

  private drag(event: PointerEvent): void {
    const last = this.touches.get(event.pointerId);
    if (!last || !this.gesture) {
      const found = this.handAt(event.offsetX, event.offsetY) ?? this.deviceAt(event.offsetX, event.offsetY);
      this.stage.canvas.style.cursor = found === undefined ? 'default' : 'grab';
      return;
    }
    const dx = event.offsetX - last.x;
    const dy = event.offsetY - last.y;
    this.touches.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    const { orbit } = this.stage;
    if (this.touches.size > 1) {
      const spread = this.spread();
      if (spread > 0 && this.pinch > 0) orbit.zoom(this.pinch / spread);
      this.pinch = spread;
      return;
    }
    if (this.gesture === 'turn') orbit.turn(dx, dy);
    else if (this.gesture === 'pan') orbit.pan(dx, dy, this.stage.canvas.clientHeight);
    else this.moveHand(dx, dy);
  }

  /** Sideways as the picture shows it; up and down along the vertical, whatever the camera's tilt. */
  private moveHand(dx: number, dy: number): void {
    const { orbit, camera, canvas } = this.stage;
    const distance = camera.position.distanceTo(this.driver.target);
    const perPixel = orbit.metresPerPixel(distance, canvas.clientHeight);
    const tilt = Math.max(0.35, Math.hypot(camera.position.x - this.driver.target.x, camera.position.z - this.driver.target.z) / distance);
    this.driver.move(orbit.right().multiplyScalar(dx * perPixel).add(new Vector3(0, (-dy * perPixel) / tilt, 0)));
  }

  private release(event: PointerEvent): void {
    this.touches.delete(event.pointerId);
    if (this.touches.size > 0) return;
    this.gesture = undefined;
    this.driver.grip.hold('pointer', false);
    this.stage.canvas.style.cursor = 'default';
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const delta = event.deltaY * (event.deltaMode === 1 ? 18 : 1);
    if (this.driver.isActive && !event.ctrlKey && !event.shiftKey) {
      this.driver.grip.nudge();
      this.driver.move(this.stage.orbit.ahead().multiplyScalar(-delta * WHEEL_METRES));
    } else {
      this.stage.orbit.zoom(Math.exp((event.deltaY || event.deltaX) * 0.0012));
    }
  }

  private spread(): number {
    const [a, b] = [...this.touches.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  /** The hand whose device is drawn under that pixel, or the first one's number for a tool that the mouse holds. */
  private deviceAt(x: number, y: number): number | undefined {
    const { content, camera, canvas } = this.stage;
    const place = this.driver.isDevice ? content?.haptic.place?.clone().project(camera) : undefined;
    if (!place) return undefined;
    const distance = Math.hypot(((place.x + 1) / 2) * canvas.clientWidth - x, ((1 - place.y) / 2) * canvas.clientHeight - y);
    return distance < REACH_PIXELS ? this.driver.hand : undefined;
  }

  /** Index of the hand drawn under that pixel, if any. */
  private handAt(x: number, y: number): number | undefined {
    const { content, camera, canvas } = this.stage;
    let found: number | undefined;
    let nearest = REACH_PIXELS;
    const at = new Vector3();
    for (const hand of content?.hands ?? []) {
      for (let bone = 0; hand.bones && bone < hand.bones.length; bone += 7) {
        at.fromArray(hand.bones, bone).project(camera);
        const distance = Math.hypot(((at.x + 1) / 2) * canvas.clientWidth - x, ((1 - at.y) / 2) * canvas.clientHeight - y);
        if (distance < nearest) {
          nearest = distance;
          found = hand.info.index;
        }
      }
    }
    return found;
  }
}
