// Smooth normals of a moving mesh, weighted by area.

/** Writes a unit normal per vertex. */
export function computeNormals(positions: Float32Array, indices: Uint32Array, normals: Float32Array): void {
  normals.fill(0);
  for (let k = 0; k + 2 < indices.length; k += 3) {
    const a = (indices[k] as number) * 3;
    const b = (indices[k + 1] as number) * 3;
    const c = (indices[k + 2] as number) * 3;
    const ax = positions[a] as number;
    const ay = positions[a + 1] as number;
    const az = positions[a + 2] as number;
    const ux = (positions[b] as number) - ax;
    const uy = (positions[b + 1] as number) - ay;
    const uz = (positions[b + 2] as number) - az;
    const vx = (positions[c] as number) - ax;
    const vy = (positions[c + 1] as number) - ay;
    const vz = (positions[c + 2] as number) - az;
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    for (const v of [a, b, c]) {
      normals[v] = (normals[v] as number) + nx;
      normals[v + 1] = (normals[v + 1] as number) + ny;
      normals[v + 2] = (normals[v + 2] as number) + nz;
    }
  }
  for (let v = 0; v + 2 < normals.length; v += 3) {
    const x = normals[v] as number;
    const y = normals[v + 1] as number;
    const z = normals[v + 2] as number;
    const scale = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
    normals[v] = x * scale;
    normals[v + 1] = y * scale;
    normals[v + 2] = z * scale;
  }
}
