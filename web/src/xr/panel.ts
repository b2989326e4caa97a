// A small sign beside the table: how late the hand is, and how fast the simulation runs.

import { CanvasTexture, Mesh, MeshBasicMaterial, PlaneGeometry, SRGBColorSpace } from 'three';
import type { Studio } from '../studio';

const REFRESH_MS = 500;

export class VrPanel extends Mesh<PlaneGeometry, MeshBasicMaterial> {
  private readonly pen: CanvasRenderingContext2D | null;
  private readonly texture: CanvasTexture;
  private drawn = 0;

  constructor(private readonly studio: Studio) {
    const canvas = document.createElement('canvas');
    canvas.width = 512;
    canvas.height = 200;
    const texture = new CanvasTexture(canvas);
    texture.colorSpace = SRGBColorSpace;
    super(new PlaneGeometry(0.2, 0.078), new MeshBasicMaterial({ map: texture, transparent: true, toneMapped: false }));
    this.texture = texture;
    this.pen = canvas.getContext('2d');
    this.position.set(0, 0.1, -0.24);
    this.rotation.x = -0.25;
  }

  update(now: number): void {
    if (now - this.drawn < REFRESH_MS || !this.pen) return;
    this.drawn = now;
    const { pen } = this;
    const figures = this.studio.latency.figures();
    pen.clearRect(0, 0, 512, 200);
    pen.fillStyle = 'rgba(20, 22, 28, 0.82)';
    pen.beginPath();
    pen.roundRect(4, 4, 504, 192, 36);
    pen.fill();
    pen.fillStyle = '#ffffff';
    pen.font = '600 64px system-ui, sans-serif';
    pen.fillText(figures ? `${figures.p50.toFixed(0)} ms` : '– ms', 40, 92);
    pen.font = '400 30px system-ui, sans-serif';
    pen.fillStyle = '#c9ced9';
    pen.fillText(figures ? `hand to skin · 95 % < ${figures.p95.toFixed(0)} ms` : 'hand to skin', 40, 148);
    pen.textAlign = 'right';
    pen.fillText(`${Math.round(this.studio.state?.steps_per_s ?? 0)} steps/s`, 472, 88);
    pen.textAlign = 'left';
    this.texture.needsUpdate = true;
  }
}
