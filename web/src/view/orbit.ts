// The camera's way around what it looks at.

import { MathUtils, PerspectiveCamera, Vector3 } from 'three';

const UP = new Vector3(0, 1, 0);
/** Of the camera from what it looks at, metres. */
const NEAREST = 0.12;
const FURTHEST = 4;

export interface Viewpoint {
  target: Vector3;
  /** Metres from the target. */
  distance: number;
  /** Radians around the vertical; 0 looks along −z, the way the fingers point. */
  azimuth: number;
  /** Radians above the horizon. */
  elevation: number;
}

/** Moves smoothly towards a goal that gestures change. */
export class Orbit {
  private readonly goal: Viewpoint;
  private readonly now: Viewpoint;
  private isOwn = false;
  /** The camera stays over this height, metres, unless what it looks at lies lower. */
  private floor = -Infinity;

  constructor(
    readonly camera: PerspectiveCamera,
    start: Viewpoint,
  ) {
    this.goal = copy(start);
    this.now = copy(start);
    this.place();
  }

  /** Flies to a viewpoint; at once if `jump`. What is no number is not looked at. */
  lookFrom(view: Viewpoint, jump: boolean): void {
    const { target, distance, azimuth, elevation } = view;
    if (![target.x, target.y, target.z, distance, azimuth, elevation].every(Number.isFinite)) return;
    const whole = { target, distance: MathUtils.clamp(distance, NEAREST, FURTHEST), azimuth: nearestTurn(azimuth, this.now.azimuth), elevation };
    this.isOwn = false;
    assign(this.goal, whole);
    if (jump) assign(this.now, whole);
    this.place();
  }

  stayOver(height: number): void {
    if (Number.isFinite(height)) this.floor = height;
  }

  /** Where the camera is going. */
  goalView(): Viewpoint {
    return copy(this.goal);
  }

  get azimuth(): number {
    return this.goal.azimuth;
  }

  get elevation(): number {
    return this.goal.elevation;
  }

  /** Moves what is looked at, and goes so many metres back from it. */
  shift(by: Vector3, back: number): void {
    if (![by.x, by.y, by.z, back].every(Number.isFinite)) return;
    this.goal.target.add(by);
    this.goal.distance = MathUtils.clamp(this.goal.distance + back, NEAREST, FURTHEST);
  }

  /** True once after a person has zoomed or shifted the view. */
  takeOwnership(): boolean {
    const was = this.isOwn;
    this.isOwn = false;
    return was;
  }

  /** Puts the camera back where it was, after someone else has moved it. */
  restore(): void {
    this.place();
  }

  turn(dxPixels: number, dyPixels: number): void {
    this.goal.azimuth -= dxPixels * 0.006;
    this.goal.elevation = MathUtils.clamp(this.goal.elevation + dyPixels * 0.006, -0.1, 1.45);
  }

  zoom(factor: number): void {
    this.isOwn = true;
    this.goal.distance = MathUtils.clamp(this.goal.distance * factor, NEAREST, FURTHEST);
  }

  pan(dxPixels: number, dyPixels: number, viewHeight: number): void {
    this.isOwn = true;
    const perPixel = this.metresPerPixel(this.goal.distance, viewHeight);
    this.goal.target.addScaledVector(this.right(), -dxPixels * perPixel).addScaledVector(UP, dyPixels * perPixel);
  }

  /** How far a point at that distance moves in the world while it moves one pixel in the picture. */
  metresPerPixel(distance: number, viewHeight: number): number {
    return (2 * distance * Math.tan(MathUtils.degToRad(this.camera.fov) / 2)) / viewHeight;
  }

  /** The picture's right, in the world. */
  right(): Vector3 {
    return new Vector3(Math.cos(this.now.azimuth), 0, -Math.sin(this.now.azimuth));
  }

  /** Away from the viewer along the horizon. */
  ahead(): Vector3 {
    return new Vector3(-Math.sin(this.now.azimuth), 0, -Math.cos(this.now.azimuth));
  }

  /** True while the camera still moves. */
  update(seconds: number): boolean {
    const share = 1 - Math.exp(-seconds * 14);
    const { now, goal } = this;
    const rest =
      Math.abs(goal.azimuth - now.azimuth) +
      Math.abs(goal.elevation - now.elevation) +
      Math.abs(goal.distance - now.distance) +
      goal.target.distanceTo(now.target);
    if (rest < 1e-5) return false;
    now.azimuth = MathUtils.lerp(now.azimuth, goal.azimuth, share);
    now.elevation = MathUtils.lerp(now.elevation, goal.elevation, share);
    now.distance = MathUtils.lerp(now.distance, goal.distance, share);
    now.target.lerp(goal.target, share);
    this.place();
    return true;
  }

  private place(): void {
    const { target, distance, azimuth, elevation } = this.now;
    const level = Math.cos(elevation) * distance;
    this.camera.position.set(
      target.x + Math.sin(azimuth) * level,
      Math.max(target.y + Math.sin(elevation) * distance, Math.min(this.floor, target.y)),
      target.z + Math.cos(azimuth) * level,
    );
    this.camera.lookAt(target);
  }
}

/** The same direction, by the shorter way around from another one. */
function nearestTurn(azimuth: number, from: number): number {
  return from + MathUtils.euclideanModulo(azimuth - from + Math.PI, 2 * Math.PI) - Math.PI;
}

function copy(view: Viewpoint): Viewpoint {
  return { ...view, target: view.target.clone() };
}

function assign(to: Viewpoint, from: Viewpoint): void {
  to.target.copy(from.target);
  to.distance = from.distance;
  to.azimuth = from.azimuth;
  to.elevation = from.elevation;
}
