// A table top with quiet grain, drawn by code so that nothing is fetched.

import { CanvasTexture, RepeatWrapping, SRGBColorSpace, type Vector3 } from 'three';
import type { Quality } from './quality';

/** The same grain every time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A pale texture that multiplies the table's colour; the grain runs along its longer side. */
export function woodTexture(half: Vector3, quality: Quality): CanvasTexture {
  const width = 1024;
  const height = 512;
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext('2d');
  if (pen) {
    const random = randomNumbers(7);
    pen.fillStyle = '#f6efe6';
    pen.fillRect(0, 0, width, height);
    for (let line = 0; line < 260; line++) {
      const y = random() * height;
      const bow = (random() - 0.5) * 26;
      const shade = 150 + random() * 60;
      pen.strokeStyle = `rgba(${shade}, ${shade * 0.82}, ${shade * 0.62}, ${0.05 + random() * 0.13})`;
      pen.lineWidth = 0.6 + random() * 2.4;
      pen.beginPath();
      pen.moveTo(0, y);
      pen.bezierCurveTo(width * 0.3, y + bow, width * 0.65, y - bow, width, y + (random() - 0.5) * 8);
      pen.stroke();
    }
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  if (quality === 'high') texture.anisotropy = 8;
  if (half.z > half.x) texture.rotation = Math.PI / 2;
  return texture;
}
