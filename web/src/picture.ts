// A picture of the scene, saved by the browser.

import { element } from './dom';
import type { Stage } from './view/stage';

export async function savePicture(stage: Stage, name: string): Promise<void> {
  const blob = await stage.screenshot();
  if (!blob) return;
  const link = element('a');
  link.href = URL.createObjectURL(blob);
  link.download = `thenar-${name}.png`;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
