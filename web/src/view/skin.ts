// The hand's skin: soft-looking, warm at the edge of its shadow, and coloured by pressure where that is wanted.

import { BufferAttribute, Color, Mesh, MeshLambertMaterial, MeshPhysicalMaterial, SRGBColorSpace, type WebGLProgramParametersWithUniforms } from 'three';
import type { Pressure, Quantised } from '../protocol/frame';
import type { SurfaceMesh } from '../protocol/mesh';
import { Neighbours } from './neighbours';
import type { Quality } from './quality';
import { StreamedGeometry } from './streamed';

const BARE = new Color('#e2a98d');
/** Bright pixels of the renderer's own tints would wash out under a key light as strong as ours. */
const ALBEDO_SCALE = 0.94;

const LEAST_SCALE = 2000;

type SkinMaterial = MeshLambertMaterial | MeshPhysicalMaterial;

export class Skin extends Mesh<StreamedGeometry, SkinMaterial> {
  private readonly heat: Float32Array;
  private neighbours: Neighbours | undefined;
  private readonly heatShare = { value: 0 };
  /** The top of the colour scale, pascals: nearly the greatest pressure of late. */
  heatScale = LEAST_SCALE;

  constructor(mesh: SurfaceMesh, quality: Quality) {
    const geometry = new StreamedGeometry(mesh.positions, mesh.indices);
    super(geometry, skinMaterial(quality));
    this.heat = new Float32Array(mesh.positions.length / 3);
    geometry.setAttribute('heat', new BufferAttribute(this.heat, 1));
    geometry.setAttribute('color', new BufferAttribute(tints(mesh), 3));
    geometry.setAttribute('nail', new BufferAttribute(mesh.nails ?? new Float32Array(this.heat.length * 2).fill(2), 2));
    this.material.onBeforeCompile = (shader) => addSkinShading(shader, this.heatShare);
    this.castShadow = true;
    this.receiveShadow = true;
    this.frustumCulled = false;
    this.name = 'skin';
  }

  showHeat(on: boolean): void {
    this.heatShare.value = on ? 1 : 0;
  }

  /** Glassy, so that what is inside shows. */
  showInside(on: boolean): void {
    const { material } = this;
    if (material.transparent === on) return;
    material.transparent = on;
    material.opacity = on ? 0.34 : 1;
    material.depthWrite = !on;
    material.needsUpdate = true;
    this.renderOrder = on ? 3 : 0;
  }

  follow(data: Quantised | undefined, pressure: Pressure | undefined): void {
    if (data) this.geometry.update(data);
    if (this.heatShare.value > 0) this.paint(pressure);
  }

  private paint(pressure: Pressure | undefined): void {
    const { heat } = this;
    heat.fill(0);
    if (pressure) {
      this.heatScale = Math.max(nearlyMost(pressure.pascals), this.heatScale * 0.99, LEAST_SCALE);
      pressure.vertices.forEach((vertex, k) => {
        if (vertex < heat.length) heat[vertex] = (pressure.pascals[k] as number) / this.heatScale;
      });
      this.neighbours ??= new Neighbours(this.geometry.index?.array ?? [], heat.length);
      this.neighbours.spread(heat);
    }
    this.geometry.attributes['heat']!.needsUpdate = true;
  }
}

/** Single points on edges have far more than the rest, which would then look cold: 95 % lie below this. */
function nearlyMost(pascals: Float32Array): number {
  const sorted = pascals.slice().sort();
  return sorted[Math.floor(sorted.length * 0.95)] ?? 0;
}

function tints(mesh: SurfaceMesh): Float32Array {
  const count = mesh.positions.length / 3;
  const tint = new Float32Array(count * 3);
  const colour = new Color();
  for (let v = 0; v < count; v++) {
    if (mesh.colours) {
      const [r, g, b] = [mesh.colours[v * 4] as number, mesh.colours[v * 4 + 1] as number, mesh.colours[v * 4 + 2] as number];
      colour.setRGB(r / 255, g / 255, b / 255, SRGBColorSpace);
    } else {
      colour.copy(BARE);
    }
    colour.multiplyScalar(ALBEDO_SCALE).toArray(tint, v * 3);
  }
  return tint;
}

function skinMaterial(quality: Quality): SkinMaterial {
  if (quality === 'low') return new MeshLambertMaterial({ vertexColors: true });
  return new MeshPhysicalMaterial({
    vertexColors: true,
    roughness: 0.52,
    specularIntensity: 0.55,
    sheen: 0.35,
    sheenRoughness: 0.5,
    sheenColor: new Color('#ff9c7d'),
    clearcoat: 0.06,
    clearcoatRoughness: 0.4,
    envMapIntensity: 0.5,
  });
}

/** Light that enters skin comes out redder a little further on: around the edge of the shadow, and at thin rims. */
function addSkinShading(shader: WebGLProgramParametersWithUniforms, heatShare: { value: number }): void {
  shader.uniforms['heatShare'] = heatShare;
  shader.vertexShader = shader.vertexShader
    .replace('#include <common>', '#include <common>\nattribute float heat;\nattribute vec2 nail;\nvarying float vHeat;\nvarying vec2 vNail;')
    .replace('#include <begin_vertex>', '#include <begin_vertex>\nvHeat = heat;\nvNail = nail;');
  shader.fragmentShader = shader.fragmentShader
    .replace('#include <common>', `#include <common>\n${HEAT_GLSL}\n${NAIL_GLSL}`)
    .replace('#include <color_fragment>', `#include <color_fragment>\n${PAINT_NAIL_GLSL}\ndiffuseColor.rgb = mix(diffuseColor.rgb, heatColour(vHeat), heatShare * smoothstep(0.01, 0.16, vHeat));`)
    .replace('#include <roughnessmap_fragment>', '#include <roughnessmap_fragment>\nroughnessFactor = mix(roughnessFactor, 0.16, plate);')
    .replace('#include <lights_fragment_end>', `#include <lights_fragment_end>\n${SCATTER_GLSL}`);
}

const HEAT_GLSL = /* glsl */ `
varying float vHeat;
uniform float heatShare;
vec3 heatColour(float share) {
  float t = clamp(share, 0.0, 1.0);
  vec3 low = vec3(0.16, 0.10, 0.62);
  vec3 middle = vec3(0.86, 0.06, 0.36);
  vec3 high = vec3(1.0, 0.78, 0.08);
  return t < 0.5 ? mix(low, middle, t * 2.0) : mix(middle, high, t * 2.0 - 1.0);
}
`;

/** Outline of a nail's plate, as `HandShape` of the engine has it: 1 at its rim. */
const NAIL_GLSL = /* glsl */ `
varying vec2 vNail;
float nailRim(vec2 place) {
  vec2 square = place * place;
  float sum = square.x + square.y;
  return sqrt(0.5 * (sum + sqrt(max(sum * sum - 4.0 * 0.55 * square.x * square.y, 0.0))));
}
`;

/** A pink bed, a pale moon at the root, a white free edge, and the fold of skin around them; linear RGB. */
const PAINT_NAIL_GLSL = /* glsl */ `
float rim = nailRim(vNail);
float soft = max(fwidth(rim), 0.02);
float plate = 1.0 - smoothstep(1.0 - soft, 1.0 + soft, rim);
{
  float fold = (1.0 - smoothstep(0.0, 0.16, abs(rim - 1.06))) * (1.0 - smoothstep(0.5, 0.9, vNail.y));
  diffuseColor.rgb *= 1.0 - vec3(0.26, 0.42, 0.42) * fold;
  float moon = 1.0 - smoothstep(0.3, 0.42, length(vec2(vNail.x * 0.8, vNail.y + 1.02)));
  float edge = smoothstep(0.7, 0.7 + 2.0 * soft, vNail.y - 0.08 * vNail.x * vNail.x);
  vec3 bed = mix(vec3(0.80, 0.40, 0.33), vec3(0.87, 0.56, 0.48), moon);
  diffuseColor.rgb = mix(diffuseColor.rgb, mix(bed, vec3(0.90, 0.80, 0.70), edge), plate);
}
`;

const SCATTER_GLSL = /* glsl */ `
#if NUM_DIR_LIGHTS > 0
{
  float lit = dot(geometryNormal, directionalLights[0].direction);
  float bleed = smoothstep(-0.45, 0.05, lit) * (1.0 - smoothstep(0.05, 0.55, lit));
  reflectedLight.directDiffuse += diffuseColor.rgb * vec3(0.36, 0.085, 0.05) * bleed * directionalLights[0].color * 0.32;
  float edge = pow(1.0 - saturate(dot(geometryNormal, geometryViewDir)), 3.0);
  reflectedLight.directDiffuse += diffuseColor.rgb * vec3(0.55, 0.2, 0.13) * edge * 0.55;
}
#endif
`;

/** CSS gradient of the pressure colours, for the legend. */
export const HEAT_GRADIENT = 'linear-gradient(90deg, rgb(111 89 204), rgb(238 70 162), rgb(255 228 79))';
