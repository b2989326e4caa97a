// What the server sends becomes the picture.

import type { Vector3 } from 'three';
import type { Studio } from '../studio';
import { reachOf } from './reach';
import { SceneView } from './scene_view';
import type { Shown } from './shown';
import type { Stage } from './stage';

export function follow(studio: Studio, stage: Stage, shown: () => Shown): void {
  // Not on the root element, where each change would restyle the whole page.
  const page = stage.canvas;
  /** A scene of which no frame has come yet: until then the one before stays in the picture, which would be empty. */
  let coming: SceneView | undefined;
  studio.on('scene', (scene) => {
    coming?.free();
    coming = new SceneView(scene, stage.graphics.quality, shown());
  });
  studio.on('sent', (message) => {
    if (message.type === 'reset') stage.director.startAgain();
  });
  studio.on('mesh', (mesh) => (coming ?? stage.content)?.take(mesh));
  studio.on('frame', (frame) => {
    const content = coming ?? stage.content;
    if (!content) return;
    content.follow(frame);
    content.haptic.face(stage.camera);
    if (content === coming) {
      coming = undefined;
      stage.show(content);
    }
    studio.latency.add(frame.pageTime, performance.now());
    stage.followContent();
    // For tests, and for anyone who scripts the page.
    page.dataset['scene'] = content.message.name;
    page.dataset['run'] = String(content.message.id);
    page.dataset['frames'] = String(Number(page.dataset['frames'] ?? 0) + 1);
    page.dataset['time'] = frame.time.toFixed(4);
    const object = content.firstLoose();
    tell('hand', pixelOf(content.hands.find((hand) => hand.visible)?.centre()));
    tell('object', pixelOf(object?.position.clone()));
    const { target, distance, azimuth, elevation } = stage.orbit.goalView();
    page.dataset['camera'] = [...target.toArray(), distance, azimuth, elevation, stage.camera.fov].map((value) => value.toFixed(4)).join(' ');
    if (object) page.dataset['height'] = object.position.y.toFixed(5);
    const reach = reachOf(content);
    tell('thing', pixelOf(reach?.thing.clone()));
    tell('gap', reach?.gap.toFixed(4));
    tell('device', pixelOf(content.haptic.place?.clone()));
    tell('arrow', frame.haptic ? content.haptic.arrowLength.toFixed(4) : undefined);
    tell('felt', frame.haptic ? Math.hypot(...frame.haptic.force).toFixed(4) : undefined);
    tell('depth', reach?.way.dot(stage.orbit.ahead()).toFixed(4));
  });

  /** Where the picture has that place. */
  const pixelOf = (place: Vector3 | undefined): string | undefined => {
    if (!place) return undefined;
    const at = place.project(stage.camera);
    return `${Math.round(((at.x + 1) / 2) * stage.canvas.clientWidth)} ${Math.round(((1 - at.y) / 2) * stage.canvas.clientHeight)}`;
  };
  const tell = (key: string, value: string | undefined): void => {
    if (value === undefined) delete page.dataset[key];
    else page.dataset[key] = value;
  };
}
