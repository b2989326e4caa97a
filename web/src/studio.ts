// What the page knows of the server, and the one place through which it speaks to it.

import { Events } from './events';
import { Connection, type ConnectionState } from './protocol/connection';
import type { Frame } from './protocol/frame';
import { Latency } from './protocol/latency';
import type { Mesh } from './protocol/mesh';
import type { ErrorMessage, HelloMessage, NoticeMessage, Options, PageMessage, RecordedMessage, SceneMessage, ServerMessage, StateMessage, SwitchOption } from './protocol/messages';

export interface ConnectionNews {
  state: ConnectionState;
  secondsToRetry: number;
}

export interface StudioEvents {
  connection: ConnectionNews;
  hello: HelloMessage;
  options: Options;
  scene: SceneMessage;
  state: StateMessage;
  frame: Frame;
  mesh: Mesh;
  error: ErrorMessage;
  notice: NoticeMessage;
  recorded: RecordedMessage;
  /** A control of the page was used. */
  sent: PageMessage;
}

export class Studio extends Events<StudioEvents> {
  private readonly connection: Connection;
  readonly latency = new Latency();
  hello: HelloMessage | undefined;
  scene: SceneMessage | undefined;
  state: StateMessage | undefined;
  /** Switches and sliders as the server last had them. */
  options: Options | undefined;
  frame: Frame | undefined;

  constructor(url: string, renderer: 'hardware' | 'software') {
    super();
    this.connection = new Connection(url, renderer, {
      message: (message) => this.take(message),
      frame: (frame) => {
        this.frame = frame;
        this.emit('frame', frame);
      },
      mesh: (mesh) => this.emit('mesh', mesh),
      state: (state, secondsToRetry) => this.emit('connection', { state, secondsToRetry }),
    });
  }

  start(): void {
    this.connection.open();
  }

  get isOpen(): boolean {
    return this.connection.isOpen;
  }

  get malformed(): number {
    return this.connection.malformed;
  }

  /** A switch as the server last had it. */
  switchOf(key: string): SwitchOption | undefined {
    return this.options?.switches.find((option) => option.key === key);
  }

  /** True if this page's inputs are the ones that count. */
  get controls(): boolean {
    return this.state?.controller ?? this.hello?.role === 'control';
  }

  send(message: PageMessage): void {
    this.connection.send(message);
    this.emit('sent', message);
  }

  upload(name: string, bytes: ArrayBuffer): void {
    this.connection.upload(name, bytes);
  }

  private takeOptions(options: Options): void {
    this.options = { switches: options.switches, sliders: options.sliders };
    this.emit('options', this.options);
  }

  private take(message: ServerMessage): void {
    switch (message.type) {
      case 'hello':
        this.hello = message;
        this.scene = undefined;
        this.latency.clear();
        this.emit('hello', message);
        this.takeOptions(message.options);
        break;
      case 'scene':
        // A page that has just come has seen nothing that could go on.
        message.continues = message.continues === true && this.scene?.name === message.name;
        this.scene = message;
        this.frame = undefined;
        this.emit('scene', message);
        this.takeOptions(message);
        break;
      case 'options':
        this.takeOptions(message);
        break;
      case 'state':
        this.state = message;
        this.emit('state', message);
        break;
      case 'error':
        this.emit('error', message);
        // Controls show what was asked for; what holds is what the server had.
        if (this.options) this.emit('options', this.options);
        if (this.state) this.emit('state', this.state);
        break;
      case 'notice':
        this.emit('notice', message);
        break;
      case 'recorded':
        this.emit('recorded', message);
        break;
      case 'pong':
        break;
    }
  }
}
