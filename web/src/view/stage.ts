// The picture: renderer, camera, light, and the loop that draws only when something changed.

import { BasicShadowMap, NeutralToneMapping, Mesh, MeshBasicMaterial, PCFShadowMap, PerspectiveCamera, CircleGeometry, PMREMGenerator, Scene, Vector3, WebGLRenderer } from 'three';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';
import { backdropTexture, floorTone, type Theme } from './backdrop';
import { Director, type FreeArea, type Preset } from './director';
import { Lights } from './lights';
import { Orbit } from './orbit';
import type { Graphics } from './quality';
import type { SceneView } from './scene_view';
import { radialTexture } from './spot';

/** Pixels at the picture's edges that panels cover. */
export interface Margins {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Degrees, from the picture's bottom to its top. */
const FIELD_OF_VIEW = 32;
/** Metres from the camera between which things are drawn. */
const NEAR = 0.01;
const FAR = 20;
/** Seconds from picture to picture. */
const SLOW = 0.045;
const FEWEST_PIXELS = 0.4;
/** A software renderer that draws more often than this takes the processor away from the simulation. */
const LEAST_GAP_MS = 45;
/** No screen shows more in a second. */
const MOST_DRAWINGS = 500;

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, NEAR, FAR);
  readonly orbit: Orbit;
  readonly director: Director;
  readonly lights: Lights;
  private readonly floor: Mesh<CircleGeometry, MeshBasicMaterial>;
  private margins: Margins = { left: 0, right: 0, top: 0, bottom: 0 };
  private needed = true;
  private lastTime = 0;
  private pace = 0;
  private drawnAt = 0;
  /** When the last pictures were drawn, milliseconds. */
  private readonly drawings: number[] = [];
  content: SceneView | undefined;
  /** Called before each picture with the seconds since the last one. */
  onTick: ((seconds: number) => void) | undefined;
  /** Called in a headset with each of its frames. */
  onXrFrame: ((time: number, frame: XRFrame) => void) | undefined;

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly graphics: Graphics,
  ) {
    const high = graphics.quality === 'high';
    this.renderer = new WebGLRenderer({ canvas, antialias: high, powerPreference: 'high-performance' });
    this.renderer.setPixelRatio(high ? Math.min(window.devicePixelRatio, 2) : Math.min(window.devicePixelRatio, 0.6));
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.toneMappingExposure = 1;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = high ? PCFShadowMap : BasicShadowMap;
    this.renderer.xr.enabled = true;
    this.lights = new Lights(graphics.quality);
    this.orbit = new Orbit(this.camera, { target: new Vector3(0, 0.08, 0), distance: 0.8, azimuth: 0.62, elevation: 0.36 });
    this.director = new Director(this.orbit, this.camera, () => this.freeArea());
    this.floor = floor();
    this.scene.add(this.lights, this.floor);
    if (high) {
      const generator = new PMREMGenerator(this.renderer);
      this.scene.environment = generator.fromScene(new RoomEnvironment(), 0.05).texture;
      this.scene.environmentIntensity = 0.32;
    }
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.fit();
    this.renderer.setAnimationLoop((time, frame?: XRFrame) => this.tick(time, frame));
  }

  dress(theme: Theme): void {
    this.scene.background = backdropTexture(theme);
    this.lights.dress(theme);
    this.floor.material.color.copy(floorTone(theme));
    this.floor.material.opacity = theme === 'dark' ? 0.75 : 0.55;
    this.redraw();
  }

  /** Looks at the whole scene. */
  frameContent(jump: boolean): void {
    if (this.content) this.director.lookAtAll(this.content, jump);
    this.redraw();
  }

  /** Looks at the hand from a side of its own. */
  lookFrom(preset: Preset): void {
    if (this.content) this.director.lookFrom(preset, this.content);
    this.redraw();
  }

  /** What the frame brought is kept in the picture. */
  followContent(): void {
    if (!this.content || this.renderer.xr.isPresenting) return;
    this.director.follow(this.content);
    this.lights.follow(this.orbit.goalView().target);
    this.redraw();
  }

  /** The part of the picture that no panel covers. */
  private freeArea(): FreeArea {
    const { left, right, top, bottom } = this.margins;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    return { width: width - left - right, height: height - top - bottom, pictureHeight: height };
  }

  redraw(): void {
    this.needed = true;
  }

  show(content: SceneView): void {
    if (this.content) {
      this.scene.remove(this.content);
      this.content.free();
    }
    this.content = content;
    this.scene.add(content);
    this.redraw();
  }

  /** Keeps the middle of the picture in the middle of what panels leave free. */
  setMargins(margins: Margins): void {
    const { left, right, top, bottom } = this.margins;
    if (left === margins.left && right === margins.right && top === margins.top && bottom === margins.bottom) return;
    this.margins = margins;
    this.resize();
  }

  /** The page's own camera again, as it was before a headset took it. */
  leaveHeadset(): void {
    this.orbit.restore();
    this.fit();
    this.frameContent(true);
  }

  /** The scene alone, as a PNG. */
  screenshot(): Promise<Blob | null> {
    this.draw();
    return new Promise((resolve) => this.canvas.toBlob(resolve, 'image/png'));
  }

  private fit(): void {
    if (this.renderer.xr.isPresenting) return;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    const { left, right, top, bottom } = this.margins;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.setViewOffset(width, height, (right - left) / 2, (bottom - top) / 2, width, height);
    this.camera.updateProjectionMatrix();
    this.redraw();
  }

  /** Another size or other panels: what should be seen is fitted into what is free now. */
  private resize(): void {
    this.fit();
    if (this.content && !this.renderer.xr.isPresenting) this.director.refit(this.content);
  }

  private tick(time: number, frame: XRFrame | undefined): void {
    const seconds = Math.min((time - this.lastTime) / 1000, 0.1);
    this.lastTime = time;
    if (frame && this.renderer.xr.isPresenting) {
      this.onXrFrame?.(time, frame);
      this.draw();
      return;
    }
    this.onTick?.(seconds);
    if (this.graphics.quality === 'low') this.adapt(seconds);
    if (this.orbit.update(seconds)) this.needed = true;
    if (this.needed && (this.graphics.quality === 'high' || time - this.drawnAt > LEAST_GAP_MS)) {
      this.drawnAt = time;
      this.draw();
    }
  }

  /** A slow machine draws fewer pixels. */
  private adapt(seconds: number): void {
    this.pace = this.pace * 0.9 + seconds * 0.1;
    if (this.pace < SLOW || this.renderer.getPixelRatio() <= FEWEST_PIXELS) return;
    this.pace = 0;
    this.renderer.setPixelRatio(Math.max(FEWEST_PIXELS, this.renderer.getPixelRatio() * 0.8));
    this.fit();
  }

  /** Pictures of the last second. */
  frameRate(): number {
    const since = performance.now() - 1000;
    while ((this.drawings[0] ?? Infinity) < since) this.drawings.shift();
    return this.drawings.length;
  }

  private draw(): void {
    this.needed = false;
    this.drawings.push(performance.now());
    if (this.drawings.length > MOST_DRAWINGS) this.drawings.shift();
    const floor = this.content?.ground.floor;
    this.floor.visible = floor !== undefined;
    if (floor !== undefined) this.floor.position.y = floor - 0.002;
    this.renderer.render(this.scene, this.camera);
  }
}

/** A dark pool of shade under the table that grounds it in the backdrop. */
function floor(): Mesh<CircleGeometry, MeshBasicMaterial> {
  const material = new MeshBasicMaterial({ alphaMap: radialTexture(256, 20, [[0.45, '#777777']]), transparent: true, depthWrite: false, toneMapped: false });
  const mesh = new Mesh(new CircleGeometry(0.62, 48).rotateX(-Math.PI / 2), material);
  mesh.renderOrder = -1;
  return mesh;
}
