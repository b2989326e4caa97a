// A soft dark spot under each thing near the table: the light that does not get in between.

import { Mesh, MeshBasicMaterial, PlaneGeometry } from 'three';

import { spotTexture } from './spot';

export class ContactShadow extends Mesh<PlaneGeometry, MeshBasicMaterial> {
  constructor(private readonly strength: number) {
    super(
      new PlaneGeometry(1, 1).rotateX(-Math.PI / 2),
      new MeshBasicMaterial({ color: '#1c0f06', alphaMap: spotTexture(), transparent: true, depthWrite: false, toneMapped: false, polygonOffset: true, polygonOffsetFactor: -2 }),
    );
    this.renderOrder = 1;
  }

  /** Below a thing of that size at that place, on a table at height `ground`. */
  fall(x: number, z: number, width: number, depth: number, gap: number, ground: number): void {
    const near = Math.max(0, 1 - Math.max(gap, 0) / 0.09);
    this.visible = near > 0.01;
    this.position.set(x, ground + 0.0006, z);
    const spread = 1.5 + (1 - near) * 1.4;
    this.scale.set(width * spread, 1, depth * spread);
    this.material.opacity = this.strength * near * near;
  }
}
