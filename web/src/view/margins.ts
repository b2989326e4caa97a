// How much of the picture the panels cover.

import type { Margins } from './stage';

/** Panels that lie beside the picture (narrow screens) or are hidden cover nothing. */
export function marginsOf(left: HTMLElement, right: HTMLElement, bottom: HTMLElement): Margins {
  const covers = (panel: HTMLElement): boolean => getComputedStyle(panel).position === 'fixed' && panel.offsetWidth > 0;
  const vertical = covers(bottom) ? bottom.offsetHeight : 0;
  return {
    left: covers(left) && left.offsetHeight > window.innerHeight / 2 ? left.offsetWidth : 0,
    right: covers(right) && right.offsetWidth < window.innerWidth / 2 ? right.offsetWidth : 0,
    top: 0,
    bottom: vertical,
  };
}
