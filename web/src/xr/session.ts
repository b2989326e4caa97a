// A headset: its hands drive the simulated ones, and the scene stands in the room in front of the viewer.

import type { Studio } from '../studio';
import type { Stage } from '../view/stage';
import { readJoints } from './joints';
import { VrPanel } from './panel';

/** The table's top below the eyes, and its middle ahead of them, metres. */
const BELOW_EYES = 0.42;
const AHEAD = 0.38;

export class VrSession {
  private space: XRReferenceSpace | undefined;
  private seq = 0;
  private readonly panel: VrPanel;
  private readonly background;

  constructor(
    private readonly stage: Stage,
    private readonly studio: Studio,
    readonly session: XRSession,
  ) {
    this.panel = new VrPanel(studio);
    this.background = stage.scene.background;
    stage.scene.add(this.panel);
    session.addEventListener('end', () => this.end());
    stage.onXrFrame = (time, frame) => this.update(time, frame);
    studio.send({ type: 'mode', value: 'webxr' });
    studio.send({ type: 'play' });
    document.documentElement.dataset['vr'] = 'on';
  }

  private update(time: number, frame: XRFrame): void {
    const space = this.space ?? this.standBeforeViewer(frame);
    if (!space) return;
    const now = performance.now();
    for (const source of frame.session.inputSources) {
      if (!source.hand || source.handedness === 'none') continue;
      const message = readJoints(frame, source.hand, source.handedness, space, ++this.seq, now);
      if (message) this.studio.send(message);
    }
    this.panel.update(time);
  }

  /** Puts the world's origin, the middle of the table's top, in front of where the viewer looks now. */
  private standBeforeViewer(frame: XRFrame): XRReferenceSpace | undefined {
    const base = this.stage.renderer.xr.getReferenceSpace();
    const viewer = base ? frame.getViewerPose(base) : undefined;
    if (!base || !viewer) return undefined;
    const { position, orientation: q } = viewer.transform;
    // Heading only: where −z points, flattened to the floor.
    const heading = Math.atan2(2 * (q.x * q.z + q.w * q.y), 1 - 2 * (q.x * q.x + q.y * q.y));
    const origin = new XRRigidTransform(
      { x: position.x - Math.sin(heading) * AHEAD, y: position.y - BELOW_EYES, z: position.z - Math.cos(heading) * AHEAD },
      { x: 0, y: Math.sin(heading / 2), z: 0, w: Math.cos(heading / 2) },
    );
    this.space = base.getOffsetReferenceSpace(origin);
    this.stage.renderer.xr.setReferenceSpace(this.space);
    return this.space;
  }

  private end(): void {
    this.stage.onXrFrame = undefined;
    this.stage.scene.remove(this.panel);
    this.stage.scene.background = this.background;
    this.studio.send({ type: 'mode', value: 'mouse' });
    delete document.documentElement.dataset['vr'];
    window.dispatchEvent(new Event('resize'));
    this.stage.redraw();
  }
}
