// The WebSocket to the studio server: reconnects for ever, acknowledges frames, hands out what arrives.

import { ByteReader, HEADER_BYTES, KIND_FRAME, KIND_MESH, KIND_UPLOAD, MalformedMessage, VERSION, readHeader } from './binary';
import { readFrame, type Frame } from './frame';
import { readMesh, type Mesh } from './mesh';
import { PROTOCOL, readServerMessage, type PageMessage, type ServerMessage } from './messages';

export type ConnectionState = 'connecting' | 'open' | 'lost';

export interface Listener {
  message(message: ServerMessage): void;
  frame(frame: Frame): void;
  mesh(mesh: Mesh): void;
  state(state: ConnectionState, secondsToRetry: number): void;
}

const FIRST_RETRY_MS = 300;
const LONGEST_RETRY_MS = 3000;
/** Between acknowledgements. */
const LEAST_GAP_MS = 7;
/** The server takes messages of 1 MiB, header included. */
const CHUNK_BYTES = 512 << 10;

export class Connection {
  private socket: WebSocket | undefined;
  private retryMs = FIRST_RETRY_MS;
  private lastFrame = 0;
  /** Messages that could not be read; shown in the status line's tooltip. */
  malformed = 0;

  constructor(
    private readonly url: string,
    private readonly renderer: 'hardware' | 'software',
    private readonly listener: Listener,
  ) {}

  open(): void {
    this.listener.state('connecting', 0);
    const socket = new WebSocket(this.url);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.retryMs = FIRST_RETRY_MS;
      this.send({ type: 'hello', protocol: PROTOCOL, renderer: this.renderer });
      this.listener.state('open', 0);
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.receive(event.data);
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = undefined;
      this.listener.state('lost', this.retryMs / 1000);
      window.setTimeout(() => this.open(), this.retryMs);
      this.retryMs = Math.min(this.retryMs * 1.6, LONGEST_RETRY_MS);
    };
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(message: PageMessage): void {
    if (this.isOpen) this.socket?.send(JSON.stringify(message));
  }

  /** Sends a recording's bytes in chunks, after the message that announces them. */
  upload(name: string, bytes: ArrayBuffer): void {
    this.send({ type: 'load_recording', name, bytes: bytes.byteLength });
    for (let at = 0, seq = 0; at < bytes.byteLength; at += CHUNK_BYTES, seq++) {
      const chunk = new Uint8Array(bytes, at, Math.min(CHUNK_BYTES, bytes.byteLength - at));
      const message = new Uint8Array(HEADER_BYTES + chunk.length);
      const header = new DataView(message.buffer);
      header.setUint8(0, KIND_UPLOAD);
      header.setUint8(1, VERSION);
      header.setUint32(4, seq, true);
      message.set(chunk, HEADER_BYTES);
      if (this.isOpen) this.socket?.send(message);
    }
  }

  /** At once, unless frames come faster than any screen shows them. */
  private acknowledge(seq: number): void {
    const now = performance.now();
    const wait = this.lastFrame + LEAST_GAP_MS - now;
    this.lastFrame = Math.max(now, this.lastFrame + LEAST_GAP_MS);
    if (wait < 1) this.send({ type: 'ack', seq });
    else window.setTimeout(() => this.send({ type: 'ack', seq }), wait);
  }

  private receive(data: string | ArrayBuffer): void {
    try {
      if (typeof data === 'string') {
        const message = readServerMessage(data);
        if (message) this.listener.message(message);
      } else {
        this.receiveBinary(data);
      }
    } catch (error) {
      if (!(error instanceof MalformedMessage) && !(error instanceof SyntaxError)) throw error;
      this.malformed++;
    }
  }

  private receiveBinary(data: ArrayBuffer): void {
    const reader = new ByteReader(data);
    const header = readHeader(reader);
    if (header.version !== VERSION) return;
    if (header.kind === KIND_MESH) {
      this.listener.mesh(readMesh(reader, header.flags));
    } else if (header.kind === KIND_FRAME) {
      // The credit goes back even if the frame cannot be read, or no other would ever come.
      this.acknowledge(header.seq);
      this.listener.frame(readFrame(reader, header.seq));
    }
  }
}
