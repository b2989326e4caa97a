// What the server sends becomes the picture.

import type { Studio } from '../studio';
import { SceneView } from './scene_view';
import type { Shown } from './shown';
import type { Stage } from './stage';

export function follow(studio: Studio, stage: Stage, shown: () => Shown): void {
  // Not on the root element, where each change would restyle the whole page.
  const page = stage.canvas;
  let framed = '';
  studio.on('scene', (scene) => stage.show(new SceneView(scene, stage.graphics.quality, shown())));
  studio.on('mesh', (mesh) => stage.content?.take(mesh));
  studio.on('frame', (frame) => {
    const { content } = stage;
    if (!content) return;
    content.follow(frame);
    studio.latency.add(frame.pageTime, performance.now());
    if (framed !== content.message.name && content.framesSeen === 1) {
      stage.frameContent(framed === '');
      framed = content.message.name;
    }
    stage.redraw();
    // For tests, and for anyone who scripts the page.
    page.dataset['scene'] = content.message.name;
    page.dataset['run'] = String(content.message.id);
    page.dataset['frames'] = String(Number(page.dataset['frames'] ?? 0) + 1);
    page.dataset['time'] = frame.time.toFixed(4);
    const object = content.firstLoose();
    const hand = content.hands[0]?.centre()?.project(stage.camera);
    if (hand) page.dataset['hand'] = `${Math.round(((hand.x + 1) / 2) * stage.canvas.clientWidth)} ${Math.round(((1 - hand.y) / 2) * stage.canvas.clientHeight)}`;
    if (object) page.dataset['height'] = object.position.y.toFixed(5);
  });
}
