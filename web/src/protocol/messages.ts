// Text messages of the studio protocol, version 1 (docs/studio-protocol.md).

export const PROTOCOL = 1;

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

export type Mode = 'script' | 'mouse' | 'recording' | 'webxr';
export type SwitchValue = string | number | boolean;

export interface SceneCard {
  name: string;
  story: string;
  group?: string;
  picture?: string;
}

export interface SwitchOption {
  key: string;
  label: string;
  values: SwitchValue[];
  value: SwitchValue;
  live?: boolean;
  /** Why a value is not offered now, by value. */
  disabled?: Record<string, string>;
}

export interface SliderOption {
  key: string;
  label: string;
  min: number;
  max: number;
  step: number;
  value: number;
  unit?: string;
}

export interface Options {
  switches: SwitchOption[];
  sliders: SliderOption[];
}

export interface Palm {
  position: Vec3;
  rotation: Quat;
}

export interface HandInfo {
  index: number;
  side: 'left' | 'right';
  vertices: number;
  triangles: number;
  /** The grasp with which the scene's own script closes. */
  grasp?: string;
  palm?: Palm;
}

export interface ObjectInfo {
  index: number;
  name: string;
  kind: 'rigid' | 'soft';
  fixed: boolean;
  mass: number;
  color: Vec3;
}

export interface Check {
  label: string;
  value: number;
  unit: string;
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
}

export interface SceneMessage {
  type: 'scene';
  id: number;
  name: string;
  story: string;
  step: number;
  seconds: number;
  hands: HandInfo[];
  objects: ObjectInfo[];
  switches?: Record<string, SwitchValue>;
  sliders?: Record<string, number>;
}

export interface StateMessage {
  type: 'state';
  playing: boolean;
  speed: number;
  time: number;
  mode: Mode;
  recording: boolean;
  controller: boolean;
  viewers: number;
  realtime: number;
  steps_per_s: number;
  ended?: boolean;
  checks: Check[] | null;
}

export interface ErrorMessage {
  type: 'error';
  message: string;
  remedy?: string;
}

export interface RecordedMessage {
  type: 'recorded';
  bytes: number;
  seconds: number;
  url: string;
}

export interface PongMessage {
  type: 'pong';
  t: number;
}

export type ServerMessage = HelloMessage | SceneMessage | StateMessage | ErrorMessage | RecordedMessage | PongMessage;

export type Side = 'left' | 'right';

export type PageMessage =
  | { type: 'hello'; protocol: number; renderer: 'hardware' | 'software' }
  | { type: 'ack'; seq: number }
  | { type: 'load'; scene: string }
  | { type: 'play' | 'pause' | 'single' | 'reset' | 'take_control' }
  | { type: 'speed'; value: number }
  | { type: 'set'; key: string; value: SwitchValue }
  | { type: 'mode'; value: Mode }
  | { type: 'grasp'; hand: number; name: string; amount: number }
  | { type: 'finger'; hand: number; digit: number; curl: number; spread: number }
  | { type: 'palm'; hand: number; position: Vec3; rotation: Quat; seq: number; t: number }
  | { type: 'joints'; hand: Side; seq: number; t: number; valid: boolean[]; positions: number[]; rotations: number[]; radii: number[] }
  | { type: 'record'; on: boolean }
  | { type: 'load_recording'; name: string; bytes: number }
  | { type: 'ping'; t: number }
  | { type: 'fit'; hand: number }
  | { type: 'want'; tets: boolean; contacts: boolean; tracked: boolean; bones: boolean };

const KNOWN = new Set(['hello', 'scene', 'state', 'error', 'recorded', 'pong']);

/** Parses a text message; messages of kinds that this page does not know are skipped, so that servers may be newer. */
export function readServerMessage(text: string): ServerMessage | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  return typeof value.type === 'string' && KNOWN.has(value.type) ? (value as ServerMessage) : undefined;
}
