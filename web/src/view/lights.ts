// One soft key light from above left, a cool fill, a warm rim, and light from everywhere.

import { Color, DirectionalLight, Group, HemisphereLight, Vector3 } from 'three';
import type { Theme } from './backdrop';
import type { Quality } from './quality';

/** Metres. */
const NEAR_ENOUGH = 0.25;
const ORIGIN = new Vector3();

export class Lights extends Group {
  readonly key = new DirectionalLight('#fff4e8', 2.6);
  private readonly fill = new DirectionalLight('#cfe0ff', 0.7);
  private readonly rim = new DirectionalLight('#ffd2b0', 0.9);
  private readonly sky = new HemisphereLight('#ffffff', '#b08a6a', 1);

  constructor(private readonly quality: Quality) {
    super();
    const { key } = this;
    key.position.set(-0.35, 0.9, 0.35);
    key.castShadow = true;
    const size = quality === 'high' ? 2048 : 512;
    key.shadow.mapSize.set(size, size);
    key.shadow.radius = quality === 'high' ? 5 : 2;
    key.shadow.bias = -0.0004;
    key.shadow.normalBias = 0.002;
    this.cover(0.45);
    this.fill.position.set(0.8, 0.35, 0.6);
    this.rim.position.set(0.25, 0.5, -0.9);
    this.add(key, key.target, this.sky);
    // Each light is paid for at every pixel.
    if (quality === 'high') this.add(this.fill, this.rim);
  }

  /** Shadows fall within that many metres of the origin. */
  cover(radius: number): void {
    const camera = this.key.shadow.camera;
    camera.left = camera.bottom = -radius;
    camera.right = camera.top = radius;
    camera.near = 0.05;
    camera.far = 2.5;
    camera.updateProjectionMatrix();
  }

  /** Stays with what is looked at; small movements leave the shadows where they are. */
  follow(target: Vector3): void {
    if (this.position.distanceTo(target) < NEAR_ENOUGH) return;
    // Scenes around the origin keep their light there.
    this.position.copy(target.length() < NEAR_ENOUGH ? ORIGIN : target);
  }

  dress(theme: Theme): void {
    const dark = theme === 'dark';
    this.key.intensity = dark ? 1.75 : 1.9;
    this.fill.intensity = dark ? 0.35 : 0.45;
    this.rim.intensity = dark ? 1.3 : 0.5;
    // Without a room to mirror (low quality) more light must come from the sky.
    this.sky.intensity = (dark ? 0.38 : 0.95) + (this.quality === 'low' ? 0.75 : 0);
    this.sky.color = new Color(dark ? '#bfcbe6' : '#ffffff');
    this.sky.groundColor = new Color(dark ? '#6b4a3a' : '#c29a7c');
  }
}
