// What is wrong with how a page is laid out.

/** What is cut off or lies over something else, in words. Runs in the page. */
export function faultsInPage() {
  const faults = [];
  const name = (node) => `${node.id || node.className || node.tagName} “${node.textContent.trim().slice(0, 24)}”`;
  const isShown = (node) => node.checkVisibility() && node.getBoundingClientRect().width > 0;
  const inside = (inner, outer, slack) => inner.left >= outer.left - slack && inner.right <= outer.right + slack && inner.top >= outer.top - slack && inner.bottom <= outer.bottom + slack;
  const panels = ['#left', '#right', '#bottom', '#view-tools', '#depth', '#hint', '#legend'].map((id) => document.querySelector(id)).filter(isShown);
  for (const [k, one] of panels.entries()) {
    for (const other of panels.slice(k + 1)) {
      // What stands beside the picture scrolls behind what lies on it.
      if ([one, other].some((panel) => getComputedStyle(panel).position === 'static')) continue;
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      if (a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5) faults.push(`${name(one)} and ${name(other)} overlap`);
    }
  }
  for (const node of document.querySelectorAll('button, summary, .row-label, .figure, .clock, figcaption span, #hint > span')) {
    if (!isShown(node)) continue;
    const box = node.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(node);
    if (node.textContent.trim() && !inside(range.getBoundingClientRect(), box, 1.5)) faults.push(`${name(node)} is larger than its box`);
    for (const child of node.querySelectorAll('.icon, .label')) if (isShown(child) && !inside(child.getBoundingClientRect(), box, 1)) faults.push(`${name(child)} leaves ${name(node)}`);
    const panel = node.closest('.panel');
    // Columns scroll where a window is low.
    const { left, right, top, bottom } = panel?.getBoundingClientRect() ?? document.documentElement.getBoundingClientRect();
    const room = panel?.id === 'right' ? { left, right, top: -Infinity, bottom: Infinity } : { left, right, top, bottom };
    if (panel && !node.closest('#scenes') && !inside(box, room, 1)) faults.push(`${name(node)} leaves its panel`);
    if (box.right > innerWidth + 0.5 && !node.closest('#scenes')) faults.push(`${name(node)} leaves the window`);
  }
  for (const line of [document.querySelector('#status'), document.querySelector('#transport')]) {
    if (line.scrollWidth > line.clientWidth + 1) faults.push(`${name(line)} is cut`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways');
  return faults;
}
