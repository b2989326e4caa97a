// What this machine can draw: a software renderer gets fewer pixels, plain materials and the coarse skin.

export type Quality = 'high' | 'low';

export interface Graphics {
  /** What is told to the server. */
  renderer: 'hardware' | 'software';
  quality: Quality;
  /** The renderer's own name, for the tooltip of the status line. */
  name: string;
}

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Nothing if the browser has no WebGL 2. `?quality=high` or `low` in the address overrules the guess. */
export function findGraphics(query: URLSearchParams): Graphics | undefined {
  const context = document.createElement('canvas').getContext('webgl2');
  if (!context) return undefined;
  const details = context.getExtension('WEBGL_debug_renderer_info');
  const name = String(context.getParameter(details ? details.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  context.getExtension('WEBGL_lose_context')?.loseContext();
  const software = SOFTWARE.test(name);
  const wanted = query.get('quality');
  const quality = wanted === 'high' || wanted === 'low' ? wanted : software ? 'low' : 'high';
  return { renderer: quality === 'low' ? 'software' : 'hardware', quality, name };
}
