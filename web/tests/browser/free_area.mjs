// The part of the picture that nothing covers.

import { eventually } from './patience.mjs';

/** Pixels of the page between the panels, or the whole picture where they stand beside it. Runs in the page. */
export function freeAreaInPage() {
  const picture = document.querySelector('#view').getBoundingClientRect();
  const box = (id) => {
    const panel = document.querySelector(id);
    return getComputedStyle(panel).position === 'fixed' && panel.checkVisibility() ? panel.getBoundingClientRect() : undefined;
  };
  return { left: box('#left')?.right ?? picture.left, right: box('#view-tools')?.left ?? picture.right, top: picture.top, bottom: box('#bottom')?.top ?? picture.bottom };
}

const LOOKS = 4;

/** Waits until that thing (`hand` or `object`) is in the free area several times in a row: the camera needs a moment. */
export async function staysInView(studio, thing) {
  let seen = 0;
  await eventually(`the ${thing} is in the free part of the picture`, async () => {
    const { left, right, top, bottom } = await studio.page.evaluate(freeAreaInPage);
    const [x, y] = ((await studio.data(thing)) ?? '').split(' ').map(Number);
    seen = x > left && x < right && y > top && y < bottom ? seen + 1 : 0;
    return seen >= LOOKS || undefined;
  });
}
