// Things the hand touches.

import { BufferAttribute, BufferGeometry, CircleGeometry, Color, Group, Mesh, MeshLambertMaterial, MeshPhysicalMaterial, MeshStandardMaterial, SRGBColorSpace, Vector3, type Material } from 'three';
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js';
import { toCreasedNormals } from 'three/addons/utils/BufferGeometryUtils.js';
import type { Quantised } from '../protocol/frame';
import type { SurfaceMesh } from '../protocol/mesh';
import type { ObjectInfo } from '../protocol/messages';
import { baseballSeam, isBaseball } from './baseball';
import { turnedHalf, type Extent } from './extents';
import type { Quality } from './quality';
import { SmoothGeometry } from './smooth';
import { spotTexture } from './spot';
import { woodTexture } from './wood';

const CREASE = 0.6;

export class RigidObject extends Group {
  /** Half the extents of the shape in its own frame, and their middle. */
  readonly half = new Vector3();
  readonly middle = new Vector3();

  constructor(
    readonly info: ObjectInfo,
    mesh: SurfaceMesh,
    quality: Quality,
  ) {
    super();
    const plain = new BufferGeometry();
    plain.setAttribute('position', new BufferAttribute(new Float32Array(mesh.positions), 3));
    plain.setIndex(new BufferAttribute(new Uint32Array(mesh.indices), 1));
    plain.computeBoundingBox();
    const box = plain.boundingBox;
    if (box) {
      box.getSize(this.half).multiplyScalar(0.5);
      box.getCenter(this.middle);
    }
    const isFlat = this.half.y < 1e-4;
    const isBox = !isFlat && (info.shape ? info.shape === 'box' : isCuboid(mesh.positions, this.half, this.middle));
    const body = new Mesh(isBox ? roundedBox(this.half, this.middle) : toCreasedNormals(plain, info.smooth ? Math.PI : CREASE), material(info, isBox, this.half, quality));
    body.castShadow = !info.fixed || this.half.y > 0.03;
    body.receiveShadow = true;
    this.add(body);
    if (isFlat) fadeOut(body);
    if (isBaseball(info, this.half.x)) this.add(baseballSeam(this.half.x));
  }

  /** Where it is, and its box along the world's axes as it lies now. */
  extent(): Extent {
    return { middle: this.position.clone(), half: this.halfNow() };
  }

  /** Half the extents of its box along the world's axes, as it lies now. */
  halfNow(): Vector3 {
    return turnedHalf(this.half, this.quaternion);
  }
}

export class SoftObject extends Mesh<SmoothGeometry> {
  constructor(
    readonly info: ObjectInfo,
    mesh: SurfaceMesh,
    quality: Quality,
  ) {
    super(new SmoothGeometry(mesh.positions, mesh.indices), material(info, false, new Vector3(), quality));
    this.castShadow = true;
    this.receiveShadow = true;
    this.frustumCulled = false;
  }

  /** Its box along the world's axes as it is now. */
  extent(): Extent {
    return this.geometry.extent;
  }

  follow(data: Quantised): void {
    this.geometry.update(data);
  }
}

function material(info: ObjectInfo, isBox: boolean, half: Vector3, quality: Quality): Material {
  const [r, g, b] = info.color;
  const color = new Color().setRGB(r, g, b, SRGBColorSpace);
  const isTable = info.fixed && isBox && half.x > 0.12;
  if (isTable && quality === 'low') return new MeshLambertMaterial({ color, map: woodTexture(half, quality) });
  if (isTable) {
    return new MeshStandardMaterial({ color: color.lerp(new Color('#ffffff'), 0.12), roughness: 0.72, map: woodTexture(half, quality), envMapIntensity: 0.35 });
  }
  if (quality === 'low') return new MeshLambertMaterial({ color });
  return new MeshPhysicalMaterial({ color, roughness: 0.48, clearcoat: 0.25, clearcoatRoughness: 0.45, envMapIntensity: 0.55 });
}

/** The ground of a scene without a table has no edge: it fades into the backdrop. */
function fadeOut(ground: Mesh): void {
  ground.geometry = new CircleGeometry(1.1, 64).rotateX(-Math.PI / 2);
  const { material } = ground;
  if (!(material instanceof MeshStandardMaterial || material instanceof MeshLambertMaterial)) return;
  material.alphaMap = spotTexture();
  material.transparent = true;
  ground.renderOrder = -1;
  ground.castShadow = false;
}

function isCuboid(positions: Float32Array, half: Vector3, middle: Vector3): boolean {
  const close = 1e-4;
  for (let k = 0; k + 2 < positions.length; k += 3) {
    const x = Math.abs(Math.abs((positions[k] as number) - middle.x) - half.x);
    const y = Math.abs(Math.abs((positions[k + 1] as number) - middle.y) - half.y);
    const z = Math.abs(Math.abs((positions[k + 2] as number) - middle.z) - half.z);
    if (x > close || y > close || z > close) return false;
  }
  return true;
}

function roundedBox(half: Vector3, middle: Vector3): BufferGeometry {
  const radius = Math.min(0.004, 0.18 * Math.min(half.x, half.y, half.z));
  return new RoundedBoxGeometry(half.x * 2, half.y * 2, half.z * 2, 3, radius).translate(middle.x, middle.y, middle.z);
}
