// MESH: shapes, sent once after each `scene`.

import { ByteReader } from './binary';

export const MESH_SKIN = 1;
export const MESH_RIGID = 2;
export const MESH_SOFT = 3;
export const MESH_TETS = 4;
export const MESH_SKELETON = 5;

const FLAG_COLOURS = 1;
const FLAG_NAILS = 2;
const NAIL_STEPS = 63;

export interface SurfaceMesh {
  what: number;
  index: number;
  positions: Float32Array;
  /** Three per triangle; two per edge for tets. */
  indices: Uint32Array;
  /** sRGB with alpha, four bytes per vertex. */
  colours: Uint8Array | undefined;
  /** Across and along the nearest nail, from −1 to 1 on its plate; two per vertex. */
  nails?: Float32Array | undefined;
}

export interface SkeletonMesh {
  what: typeof MESH_SKELETON;
  index: number;
  /** Length and radius per bone, metres. */
  shapes: Float32Array;
  parents: Uint32Array;
}

export type Mesh = SurfaceMesh | SkeletonMesh;

/** Reads what follows the header. */
export function readMesh(reader: ByteReader, flags: number): Mesh {
  const what = reader.u16();
  const index = reader.u16();
  const vertexCount = reader.u32();
  const indexCount = reader.u32();
  if (what === MESH_SKELETON) {
    return { what, index, shapes: reader.f32s(vertexCount * 2), parents: reader.u32s(indexCount) };
  }
  const positions = reader.f32s(vertexCount * 3);
  const indices = reader.u32s(indexCount);
  const colours = (flags & FLAG_COLOURS) !== 0 ? reader.u8s(vertexCount * 4) : undefined;
  const nails = (flags & FLAG_NAILS) !== 0 ? Float32Array.from(reader.i8s(vertexCount * 2), (step) => step / NAIL_STEPS) : undefined;
  return { what, index, positions, indices, colours, nails };
}

export function isSkeleton(mesh: Mesh): mesh is SkeletonMesh {
  return mesh.what === MESH_SKELETON;
}
