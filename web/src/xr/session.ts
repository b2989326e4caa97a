// A headset: its hands drive the simulated ones, and the scene stands in the room in front of the viewer.

import { CircleGeometry, Color, Group, Matrix4, Mesh, MeshBasicMaterial, Quaternion, Vector3 } from 'three';
import type { Studio } from '../studio';
import { spotTexture } from '../view/spot';
import type { Stage } from '../view/stage';
import { readJoints } from './joints';
import { VrPanel } from './panel';

/** The table's top below the eyes, and its middle ahead of them, metres. */
const BELOW_EYES = 0.42;
const AHEAD = 0.38;
const ROOM = { light: '#dfe2e7', dark: '#15171c' } as const;

export class VrSession {
  /** Carries the camera: the headset's room as seen from the simulated world. */
  private readonly rig = new Group();
  private readonly panel: VrPanel;
  private readonly ground = roomFloor();
  private readonly backdrop;
  private stands = false;
  private seq = 0;

  constructor(
    private readonly stage: Stage,
    private readonly studio: Studio,
    readonly session: XRSession,
  ) {
    this.panel = new VrPanel(studio);
    this.backdrop = stage.scene.background;
    // A picture that sticks to the face would be odd.
    stage.scene.background = new Color(ROOM[document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light']);
    this.rig.add(stage.camera, this.ground);
    stage.scene.add(this.rig, this.panel);
    session.addEventListener('end', () => this.end());
    stage.onXrFrame = (time, frame) => this.update(time, frame);
    studio.send({ type: 'mode', value: 'webxr' });
    studio.send({ type: 'play' });
    document.documentElement.dataset['vr'] = 'on';
  }

  private update(time: number, frame: XRFrame): void {
    const space = this.stage.renderer.xr.getReferenceSpace();
    if (!space || (!this.stands && !this.standBeforeViewer(frame, space))) return;
    const now = performance.now();
    for (const source of frame.session.inputSources) {
      if (!source.hand || source.handedness === 'none') continue;
      const message = readJoints(frame, source.hand, source.handedness, space, this.rig.matrix, ++this.seq, now);
      if (message) this.studio.send(message);
    }
    this.panel.update(time);
  }

  /** Puts the world's origin, the middle of the table's top, in front of where the viewer looks now. */
  private standBeforeViewer(frame: XRFrame, space: XRReferenceSpace): boolean {
    const viewer = frame.getViewerPose(space);
    if (!viewer) return false;
    const { position, orientation: q } = viewer.transform;
    // Heading only: where the viewer's back points, flattened to the floor.
    const heading = Math.atan2(2 * (q.x * q.z + q.w * q.y), 1 - 2 * (q.x * q.x + q.y * q.y));
    const table = new Vector3(position.x - Math.sin(heading) * AHEAD, position.y - BELOW_EYES, position.z - Math.cos(heading) * AHEAD);
    const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), heading);
    const world = new Matrix4().compose(table, turn, new Vector3(1, 1, 1));
    world.invert().decompose(this.rig.position, this.rig.quaternion, this.rig.scale);
    this.rig.updateMatrixWorld(true);
    this.stands = true;
    return true;
  }

  private end(): void {
    this.stage.onXrFrame = undefined;
    this.rig.removeFromParent();
    this.stage.camera.removeFromParent();
    this.panel.removeFromParent();
    this.stage.scene.background = this.backdrop;
    this.studio.send({ type: 'mode', value: 'mouse' });
    delete document.documentElement.dataset['vr'];
    window.dispatchEvent(new Event('resize'));
    this.stage.leaveHeadset();
  }
}

/** The floor of the room, a soft pool of shade under the viewer. */
function roomFloor(): Mesh {
  const material = new MeshBasicMaterial({ color: '#7d838d', alphaMap: spotTexture(), transparent: true, opacity: 0.5, depthWrite: false });
  return new Mesh(new CircleGeometry(2.5, 48).rotateX(-Math.PI / 2), material);
}
