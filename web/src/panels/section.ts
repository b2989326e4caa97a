// Collapsible sections of the right column. Where all do not fit, they are first asked to take less room; then opening one closes
// the one opened longest ago.

import { element } from '../dom';

const KEY = 'thenar.sections';

export class Sections {
  private readonly order: HTMLDetailsElement[] = [];
  /** Contents come later than the page: choices with the server's first words, keys with a plot. */
  private readonly grown = new ResizeObserver(() => this.fit());
  private readonly remembered: Record<string, boolean>;

  /** `tighten` asks for contents that need less room, or lets them have it again. */
  constructor(
    private readonly column: HTMLElement,
    private readonly tighten: (isTight: boolean) => void,
  ) {
    this.remembered = readRemembered();
    window.addEventListener('resize', () => this.fit());
  }

  add(id: string, title: string, open: boolean, ...children: Node[]): HTMLDetailsElement {
    const body = element('div', { class: 'section-body' }, ...children);
    const section = element('details', { class: 'section', id: `section-${id}` }, element('summary', {}, element('h2', { text: title })), body);
    section.open = this.remembered[id] ?? open;
    // At first, sections give way in this order: what is shown, then plots, then methods.
    if (section.open) {
      this.order.push(section);
      this.order.sort((a, b) => firstToGo(a) - firstToGo(b));
    }
    section.querySelector('summary')?.addEventListener('click', () => {
      // `open` changes after the click.
      window.setTimeout(() => {
        this.remembered[id] = section.open;
        remember(this.remembered);
      });
    });
    section.addEventListener('toggle', () => {
      const at = this.order.indexOf(section);
      if (section.open && at < 0) this.order.push(section);
      if (!section.open && at >= 0) this.order.splice(at, 1);
      this.fit();
    });
    this.column.append(section);
    this.grown.observe(body);
    return section;
  }

  /** Closes sections until the rest fits; the newest stays open. */
  fit(): void {
    const overflows = (): boolean => this.column.scrollHeight > this.column.clientHeight + 1;
    this.tighten(false);
    if (overflows()) this.tighten(true);
    while (this.order.length > 1 && overflows()) {
      const oldest = this.order.shift();
      if (!oldest) return;
      oldest.open = false;
    }
  }
}

function firstToGo(section: HTMLElement): number {
  return ['section-show', 'section-plots', 'section-methods'].indexOf(section.id);
}

function readRemembered(): Record<string, boolean> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, boolean>) : {};
  } catch {
    return {};
  }
}

function remember(open: Record<string, boolean>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(open));
  } catch {
    // Private windows may refuse; the sections then open as they do at first.
  }
}
