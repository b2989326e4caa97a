// Text messages of the studio protocol, version 1 (docs/studio-protocol.md).

export const PROTOCOL = 1;

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

export type Mode = 'script' | 'mouse' | 'recording' | 'webxr';
/** A word for a switch, a number for a slider. */
export type Setting = string | number;

export interface SceneCard {
  name: string;
  story: string;
  group?: string;
  picture?: string | null;
  /** Names of its cases: other things in the same story. */
  cases?: string[];
}

/** Something level that never moves, metres. */
export interface Support {
  x: [number, number];
  z: [number, number];
  top: number;
  bottom: number;
}

/** Something that is wrong with the simulation itself. */
export interface Trouble {
  kind: 'rolled_back' | 'inside_out' | 'force' | 'overflow' | 'yielded';
  message: string;
  remedy: string;
}

export interface SwitchOption {
  key: string;
  label: string;
  values: string[];
  value: string;
  /** The world goes on as it is when it changes; else hands are built anew, and close around what they held. */
  live?: boolean;
  /** Each value in a sentence, with its paper. */
  about?: string[];
  /** Values for which hands are built anew. */
  rebuilds?: string[];
  /** Why it makes no difference now, if it does not. */
  idle?: string | null;
  /** Of a preset: which choices are not what it brings. */
  differs?: string[];
}

export interface SliderOption {
  key: string;
  label: string;
  min: number;
  max: number;
  step: number;
  value: number;
  unit?: string;
  /** The scene is built anew for another value: hands close around what they held. */
  rebuilds?: boolean;
}

export interface Options {
  switches: SwitchOption[];
  sliders: SliderOption[];
}

export interface HandInfo {
  index: number;
  side: 'left' | 'right';
  vertices: number;
  triangles: number;
  tets?: number;
  /** The palm at the start: position, then quaternion x y z w. */
  palm?: number[];
  /** Its length over that of an adult's. */
  size?: number;
}

export interface ObjectInfo {
  index: number;
  name: string;
  kind: 'rigid' | 'soft';
  shape?: string;
  fixed: boolean;
  mass: number;
  color: Vec3;
  /** Looks best with normals smoothed over all its triangles. */
  smooth?: boolean;
}

export interface Check {
  label: string;
  value: number | null;
  unit: string;
  min?: number | null;
  max?: number | null;
  ok: boolean;
}

export interface HelloMessage {
  type: 'hello';
  protocol: number;
  version: string;
  role: 'control' | 'watch';
  scenes: SceneCard[];
  options: Options;
  hands: string[];
  grasps?: string[];
}

export interface SceneMessage {
  type: 'scene';
  id: number;
  name: string;
  /** Which of its cases it is, of which. */
  case?: string | null;
  cases?: string[];
  /** Things and hands are where they were before. */
  continues?: boolean;
  story: string;
  step: number;
  seconds: number;
  hands: HandInfo[];
  objects: ObjectInfo[];
  supports?: Support[];
  /** Least and greatest place of a palm. */
  limits?: [Vec3, Vec3];
  switches: SwitchOption[];
  sliders: SliderOption[];
}

export interface StateMessage {
  type: 'state';
  /** Number of the scene that it speaks of. */
  scene: number;
  playing: boolean;
  speed: number;
  time: number;
  mode: Mode;
  recording: boolean;
  /** A recording has been loaded that can drive the hands. */
  replayable?: boolean;
  troubles?: Trouble[];
  controller: boolean;
  viewers: number;
  realtime: number;
  steps_per_s: number;
  checks: Check[] | null;
  loading?: Loading | null;
}

/** What takes a moment before the scene can start. */
export interface Loading {
  what: string;
  share: number | null;
}

/** Switches and sliders after a change. */
export interface OptionsMessage extends Options {
  type: 'options';
}

export interface ErrorMessage {
  type: 'error';
  message: string;
  remedy?: string;
}

/** Something that people should know, and that is no problem. */
export interface NoticeMessage {
  type: 'notice';
  message: string;
  remedy?: string;
}

export interface RecordedMessage {
  type: 'recorded';
  bytes: number;
  seconds: number;
  name?: string;
  url: string;
}

export interface PongMessage {
  type: 'pong';
  t: number;
}

export type ServerMessage = HelloMessage | SceneMessage | OptionsMessage | StateMessage | ErrorMessage | NoticeMessage | RecordedMessage | PongMessage;

export type Side = 'left' | 'right';

export type PageMessage =
  | { type: 'hello'; protocol: number; renderer: 'hardware' | 'software' }
  | { type: 'ack'; seq: number }
  | { type: 'load'; scene: string; case?: string }
  | { type: 'play' | 'pause' | 'single' | 'reset' | 'take_control' }
  | { type: 'speed'; value: number }
  | { type: 'set'; key: string; value: Setting }
  | { type: 'mode'; value: Mode }
  | { type: 'grasp'; hand: number; name: string; amount: number }
  | { type: 'finger'; hand: number; digit: number; curl: number; spread: number }
  | { type: 'palm'; hand: number; position: Vec3; rotation: Quat; seq: number; t: number }
  | { type: 'hold'; on: boolean }
  | { type: 'joints'; hand: Side; seq: number; t: number; valid: boolean[]; positions: number[]; rotations: number[]; radii: number[] }
  | { type: 'record'; on: boolean }
  | { type: 'load_recording'; name: string; bytes: number }
  | { type: 'ping'; t: number }
  | { type: 'fit'; hand: number }
  | { type: 'want'; tets: boolean; contacts: boolean; tracked: boolean; bones: boolean; tactile: boolean };

const KNOWN = new Set(['hello', 'scene', 'options', 'state', 'error', 'notice', 'recorded', 'pong']);

/** Parses a text message; messages of kinds that this page does not know are skipped, so that servers may be newer. */
export function readServerMessage(text: string): ServerMessage | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  return typeof value.type === 'string' && KNOWN.has(value.type) ? (value as ServerMessage) : undefined;
}
