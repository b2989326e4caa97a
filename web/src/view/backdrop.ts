// The room around the scene: a quiet gradient that goes with the page's colours.

import { CanvasTexture, Color, SRGBColorSpace } from 'three';

export type Theme = 'light' | 'dark';

interface Tones {
  centre: string;
  middle: string;
  edge: string;
}

const TONES: Record<Theme, Tones> = {
  light: { centre: '#fbfaf8', middle: '#eeeef0', edge: '#d5dae1' },
  dark: { centre: '#343842', middle: '#1f222a', edge: '#0d0f13' },
};

/** A radial gradient over the whole picture, a little brighter behind the hand. */
export function backdropTexture(theme: Theme): CanvasTexture {
  const tones = TONES[theme];
  const canvas = document.createElement('canvas');
  canvas.width = 512;
  canvas.height = 320;
  const pen = canvas.getContext('2d');
  if (pen) {
    const gradient = pen.createRadialGradient(256, 120, 10, 256, 140, 330);
    gradient.addColorStop(0, tones.centre);
    gradient.addColorStop(0.45, tones.middle);
    gradient.addColorStop(1, tones.edge);
    pen.fillStyle = gradient;
    pen.fillRect(0, 0, 512, 320);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

/** The tone into which the floor fades. */
export function floorTone(theme: Theme): Color {
  return new Color(theme === 'light' ? '#c9ced6' : '#08090c');
}
