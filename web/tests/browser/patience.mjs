// Tests wait for what should come, never for a while: how fast a machine is says nothing about whether the studio works.

/** How long anything may take on a busy machine without a graphics card, milliseconds. */
export const PATIENCE = 240_000;

/** Looks again and again until there is something to return. */
export async function eventually(what, look) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`waited ${PATIENCE / 1000} s in vain: ${what}`);
}
