// How much of the picture the panels cover.

import type { Margins } from './stage';

/** Pixels between a panel and the free part of the picture. */
const AIR = 6;
/** A hint may cover more of a small picture; the rest of it must do. */
const MOST_OF_HEIGHT = 0.2;

export interface Panels {
  left: HTMLElement;
  /** What stands furthest to the left of all on the right. */
  right: HTMLElement;
  bottom: HTMLElement;
  hint: HTMLElement;
}

/** Panels that lie beside the picture (narrow screens) or are hidden cover nothing. */
export function marginsOf({ left, right, bottom, hint }: Panels, picture: HTMLElement): Margins {
  const covers = (panel: HTMLElement): boolean => getComputedStyle(panel).position === 'fixed' && panel.offsetWidth > 0;
  const box = picture.getBoundingClientRect();
  return {
    left: covers(left) ? left.getBoundingClientRect().right - box.left + AIR : 0,
    right: covers(right) ? box.right - right.getBoundingClientRect().left + AIR : 0,
    top: covers(hint) ? Math.min(hint.getBoundingClientRect().bottom - box.top, box.height * MOST_OF_HEIGHT) : 0,
    bottom: covers(bottom) ? box.bottom - bottom.getBoundingClientRect().top + AIR : 0,
  };
}
