// Round spots that fade to black at their rim, to be used as alpha maps.

import { CanvasTexture } from 'three';

/** Shades of grey at fractions of the way from the white middle, `core` pixels wide, to the rim. */
export function radialTexture(size: number, core: number, shades: [number, string][]): CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  const pen = canvas.getContext('2d');
  if (pen) {
    const middle = size / 2;
    const gradient = pen.createRadialGradient(middle, middle, core, middle, middle, middle);
    for (const [at, shade] of [[0, '#ffffff'], ...shades, [1, '#000000']] as [number, string][]) gradient.addColorStop(at, shade);
    pen.fillStyle = gradient;
    pen.fillRect(0, 0, size, size);
  }
  return new CanvasTexture(canvas);
}

let spot: CanvasTexture | undefined;

/** The soft spot that all small shadows share. */
export function spotTexture(): CanvasTexture {
  return (spot ??= radialTexture(128, 0, [[0.35, '#8c8c8c'], [0.7, '#212121']]));
}
