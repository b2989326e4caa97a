// The hand as mouse and keys command it: where the palm is wanted and how far each digit is closed.

import { MathUtils, Quaternion, Vector3 } from 'three';
import type { ObjectInfo, Quat, Vec3 } from '../protocol/messages';
import type { Studio } from '../studio';
import type { Extent } from '../view/extents';
import type { SceneView } from '../view/scene_view';
import { whyNoGrasp } from './ability';
import { isOver, settle, type Loose, type Surroundings } from './assist';
import { Grip } from './grip';

/** Seconds from open to closed, and back. */
const CLOSING_SECONDS = 0.8;
const OPENING_SECONDS = 0.4;
const FINGER_SECONDS = 0.35;
/** Where palms may be in a scene that does not say, metres. */
const ANYWHERE: [Vec3, Vec3] = [
  [-0.42, -1, -0.42],
  [0.42, 0.5, 0.42],
];
/** The palm joint stays this far above what is under it, metres. */
const LEAST_GAP = 0.01;
/** How far into what is under it a palm may be wanted that is felt with: a device holds it back, metres. */
const PRESSING = 0.08;
/** Closed further than this, the hand holds something and is left alone by the assistance. */
const HOLDING = 0.12;

export class HandDriver {
  hand = 0;
  /** Where the person wants the palm, before any assistance. */
  private readonly wanted = new Vector3(0, 0.17, 0.036);
  private readonly help = new Vector3();
  private readonly rotation = new Quaternion();
  private amount = 0;
  private closeWanted = 0;
  private readonly curls = [0, 0, 0, 0, 0];
  private readonly curlsWanted = [0, 0, 0, 0, 0];
  private resetAsked = false;
  /** This page has not seen yet where the hand is: no frame has come since it joined or took control. */
  private joining = true;
  private controlled = false;
  /** The mouse as a haptic device, while it is one. */
  readonly grip: Grip;
  private feltBefore = false;
  private seq = 0;
  private sentPalm = '';
  private sentGrasp = '';
  private readonly sentCurls = ['', '', '', '', ''];
  graspName = 'ball';
  /** Told after each change of the closing, for the slider that shows it. */
  onAmount: ((amount: number) => void) | undefined;

  constructor(
    private readonly studio: Studio,
    private readonly content: () => SceneView | undefined,
  ) {
    studio.on('scene', (scene) => {
      const info = scene.hands.find((hand) => hand.index === this.hand) ?? scene.hands[0];
      this.hand = info?.index ?? 0;
      this.graspName = graspFor(scene.objects);
      // What the person did since asking for a reset must not be undone by its arrival.
      if (!this.resetAsked && !scene.continues) this.rest();
      this.resetAsked = false;
    });
    this.grip = new Grip(
      studio,
      () => this.isDevice && this.isActive && studio.isOpen,
      () => this.sendPalmAgain(),
    );
    studio.on('hello', () => (this.joining = true));
    // Another page may have moved the hand since this one last had it.
    studio.on('state', ({ controller }) => {
      if (controller && !this.controlled) this.joining = true;
      this.controlled = controller;
    });
    studio.on('frame', () => {
      this.followDevice();
      if (!this.joining) return;
      this.joining = false;
      // Somebody plays already: the hand stays where it is, with what it holds.
      if (studio.state?.mode === 'mouse') this.adopt(this.hand);
    });
    studio.on('sent', (message) => {
      if (message.type === 'load') this.resetAsked = false;
      if (message.type !== 'reset') return;
      this.resetAsked = true;
      this.rest();
    });
  }

  get isActive(): boolean {
    return this.studio.state?.mode === 'mouse' && this.studio.controls;
  }

  /** Why the hand cannot close, if it cannot. */
  get whyNoGrasp(): string | undefined {
    return whyNoGrasp(this.studio.scene, this.studio.switchOf('skeleton'));
  }

  /** A haptic device holds what this page moves: it may be pressed into things, and nothing helps it. */
  private get isFelt(): boolean {
    const haptic = this.studio.frame?.haptic;
    return haptic !== undefined && (haptic.hand ?? this.hand) === this.hand;
  }

  /** The mouse is that device. */
  get isDevice(): boolean {
    return this.isFelt && this.studio.switchOf('haptics')?.value === 'mouse';
  }

  /** A device that nobody holds is where the next one will take it; and where it was when it is no device any more. */
  private followDevice(): void {
    const felt = this.isDevice;
    if ((felt && !this.grip.isHeld) || (this.feltBefore && !felt)) this.adoptPlace(this.hand);
    this.feltBefore = felt;
  }

  /** Takes the hand over from the script or a recording, where it is and with what it holds. */
  takeOver(hand: number): void {
    this.hand = hand;
    if (!this.studio.controls) return;
    if (this.studio.state?.mode !== 'mouse') {
      this.studio.send({ type: 'mode', value: 'mouse' });
      this.adopt(hand);
    }
    if (this.studio.state?.playing === false) this.studio.send({ type: 'play' });
  }

  move(by: Vector3): void {
    const [low, high] = this.studio.scene?.limits ?? ANYWHERE;
    const under = this.content()?.ground.under(this.wanted.x, this.wanted.z, this.wanted.y) ?? low[1];
    this.wanted.add(by);
    this.wanted.x = MathUtils.clamp(this.wanted.x, low[0], high[0]);
    this.wanted.z = MathUtils.clamp(this.wanted.z, low[2], high[2]);
    const lowest = this.isFelt ? under - PRESSING : under + LEAST_GAP;
    this.wanted.y = MathUtils.clamp(this.wanted.y, Math.max(low[1], lowest), high[1]);
  }

  /** Turns the hand about an axis of the world. */
  turn(axis: Vector3, radians: number): void {
    this.rotation.premultiply(new Quaternion().setFromAxisAngle(axis, radians)).normalize();
  }

  /** Turns the hand about its own forearm. */
  roll(radians: number): void {
    this.rotation.multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), radians)).normalize();
  }

  close(amount: number): void {
    this.closeWanted = amount;
  }

  get closing(): number {
    return this.closeWanted;
  }

  curl(digit: number, amount: number): void {
    this.curlsWanted[digit] = amount;
  }

  chooseGrasp(name: string): void {
    this.graspName = name;
  }

  /** Where the palm is asked to be, assistance included. */
  get target(): Vector3 {
    return this.wanted.clone().add(this.help);
  }

  /** Something loose is where the hand would close around it. */
  get isAtSomething(): boolean {
    const around = this.surroundings();
    return around?.loose.some((thing) => isOver(this.target, thing, around.size)) ?? false;
  }

  /** Goes on from where the hand is asked to be now, with its fingers as they are until they are told otherwise. */
  private adopt(hand: number): void {
    const now = this.studio.frame?.palms.get(hand);
    if (!now || !this.adoptPlace(hand)) return this.rest();
    this.amount = this.closeWanted = MathUtils.clamp(now.amount, 0, 1.2);
    this.curls.fill(0);
    this.curlsWanted.fill(0);
    this.sentGrasp = this.graspKey();
    this.sentCurls.fill('');
    this.onAmount?.(this.amount);
  }

  /** Goes on from where the palm, or a tool that a device holds, is wanted now. */
  private adoptPlace(hand: number): boolean {
    const palm = this.studio.frame?.palms.get(hand);
    const tool = this.studio.frame?.haptic;
    if (palm) {
      this.wanted.fromArray(palm.position);
      this.rotation.fromArray(palm.rotation);
    } else if (tool && tool.hand === undefined) {
      this.wanted.fromArray(tool.device);
      this.rotation.fromArray(tool.device, 3);
    } else return false;
    this.help.set(0, 0, 0);
    this.sentPalm = this.palmKey();
    return true;
  }

  /** Back to the start of the scene: open, above the table. */
  private rest(): void {
    const info = this.studio.scene?.hands.find((hand) => hand.index === this.hand);
    const palm = info?.palm?.length === 7 ? info.palm : [0, 0.17, 0.036, 0, 0, 0, 1];
    this.wanted.fromArray(palm);
    this.rotation.fromArray(palm, 3);
    this.help.set(0, 0, 0);
    this.amount = 0;
    this.closeWanted = 0;
    this.curls.fill(0);
    this.curlsWanted.fill(0);
    this.sentPalm = this.sentGrasp = '';
    this.sentCurls.fill('');
    this.onAmount?.(0);
  }

  update(seconds: number): void {
    if (!this.isActive || !this.studio.isOpen || this.joining) return;
    this.grip.tell();
    this.amount = approach(this.amount, this.closeWanted, seconds / (this.closeWanted > this.amount ? CLOSING_SECONDS : OPENING_SECONDS));
    this.assist(seconds);
    this.sendPalm();
    this.sendGrasp();
    for (let digit = 0; digit < 5; digit++) this.sendCurl(digit, seconds);
  }

  private assist(seconds: number): void {
    const around = this.surroundings();
    if (!around) return;
    if (this.isFelt) {
      this.help.multiplyScalar(Math.exp(-seconds * 10));
      return;
    }
    const settling = settle(this.wanted, around);
    const share = 1 - Math.exp(-seconds * 10);
    if (this.amount < HOLDING) {
      this.help.x = MathUtils.lerp(this.help.x, settling.x * settling.share, share);
      this.help.z = MathUtils.lerp(this.help.z, settling.z * settling.share, share);
    }
    this.help.y = Math.max(0, settling.floor - this.wanted.y);
  }

  private surroundings(): Surroundings | undefined {
    const content = this.content();
    if (!content) return undefined;
    const { x, y, z } = this.wanted;
    const size = content.hands.find((hand) => hand.info.index === this.hand)?.info.size ?? 1;
    const loose = content.loose().map(looseOf);
    const towardsWrist = new Vector3(0, 0, 1).applyQuaternion(this.rotation);
    const palmDown = new Vector3(0, -1, 0).applyQuaternion(this.rotation).y < -0.8;
    return { ground: content.ground.under(x, z, y), loose, towardsWrist, palmDown, size };
  }

  /** A page that stalls is let go, and what it wants is forgotten: whoever holds says so with every beat. */
  private sendPalmAgain(): void {
    this.sentPalm = '';
    this.sendPalm();
  }

  private sendPalm(): void {
    const key = this.palmKey();
    if (key === this.sentPalm) return;
    this.sentPalm = key;
    const position = this.target.toArray() as Vec3;
    const rotation = this.rotation.toArray() as Quat;
    this.studio.send({ type: 'palm', hand: this.hand, position, rotation, seq: ++this.seq, t: performance.now() });
  }

  private palmKey(): string {
    return [...this.target.toArray(), ...this.rotation.toArray()].map((value) => value.toFixed(5)).join();
  }

  private graspKey(): string {
    return `${this.graspName} ${Number(this.amount.toFixed(3))}`;
  }

  private sendGrasp(): void {
    if (this.studio.scene?.hands.length === 0) return;
    const amount = Number(this.amount.toFixed(3));
    const key = this.graspKey();
    if (key === this.sentGrasp) return;
    this.sentGrasp = key;
    this.studio.send({ type: 'grasp', hand: this.hand, name: this.graspName, amount });
    // A grasp replaces what single fingers were asked to do.
    this.sentCurls.fill('');
    this.onAmount?.(amount);
  }

  private sendCurl(digit: number, seconds: number): void {
    const wanted = this.curlsWanted[digit] ?? 0;
    const curl = approach(this.curls[digit] ?? 0, wanted, seconds / FINGER_SECONDS);
    this.curls[digit] = curl;
    // A finger that is let go belongs to the grasp again.
    if (curl === 0 && this.sentCurls[digit] !== '') this.sentGrasp = '';
    const key = curl.toFixed(3);
    if (key === this.sentCurls[digit] || curl === 0) return;
    this.sentCurls[digit] = key;
    this.studio.send({ type: 'finger', hand: this.hand, digit, curl: Number(key), spread: 0 });
  }
}

function looseOf({ middle: { x, y, z }, half }: Extent): Loose {
  return { x, y, z, halfX: half.x, halfY: half.y, halfZ: half.z };
}

/** What suits the first thing that can be lifted; without one, a grasp that suits most. */
function graspFor(objects: readonly ObjectInfo[]): string {
  const shape = objects.find((object) => !object.fixed)?.shape;
  return shape === 'capsule' || shape === 'cylinder' ? 'cylinder' : 'ball';
}

function approach(from: number, to: number, step: number): number {
  return from < to ? Math.min(to, from + step) : Math.max(to, from - step);
}
