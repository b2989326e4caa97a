// The tetrahedra inside the hand, as edges.

import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments } from 'three';
import type { Quantised } from '../protocol/frame';
import type { SurfaceMesh } from '../protocol/mesh';
import { unpack } from './streamed';

export class TetEdges extends LineSegments<BufferGeometry, LineBasicMaterial> {
  private readonly positions: Float32Array;

  constructor(mesh: SurfaceMesh) {
    const geometry = new BufferGeometry();
    const positions = new Float32Array(mesh.positions);
    geometry.setAttribute('position', new BufferAttribute(positions, 3));
    geometry.setIndex(new BufferAttribute(new Uint32Array(mesh.indices), 1));
    super(geometry, new LineBasicMaterial({ color: '#2f6f8f', transparent: true, opacity: 0.55 }));
    this.positions = positions;
    this.frustumCulled = false;
    this.visible = false;
    this.renderOrder = 2;
  }

  follow(data: Quantised): void {
    if (unpack(data, this.positions)) this.geometry.attributes['position']!.needsUpdate = true;
  }
}
