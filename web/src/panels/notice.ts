// What stands over the picture when something is wrong, and short messages at its top.

import { element } from '../dom';
import type { Studio } from '../studio';

const TOAST_MS = 5000;
/** A blink of the connection is not worth a word. */
const PATIENCE_MS = 500;

export class Notices {
  private lostTimer: number | undefined;
  private controlled = false;
  /** What was said when control was lost, until it is back. */
  private taken: HTMLElement | undefined;
  private readonly pill = element('div', { class: 'toast loading', role: 'status' });

  constructor(
    private readonly notice: HTMLElement,
    private readonly toasts: HTMLElement,
    studio: Studio,
  ) {
    this.pill.hidden = true;
    toasts.append(this.pill);
    studio.on('connection', (news) => {
      if (news.state === 'open') this.clear();
      else if (news.state === 'lost') this.lostTimer ??= window.setTimeout(() => this.lost(), PATIENCE_MS);
    });
    studio.on('state', (state) => {
      this.loading(state.loading?.what);
      if (this.controlled && !state.controller) this.taken = this.tell('Another page took control of the scene.', 'Take control to go on here.');
      if (state.controller && this.taken) {
        this.taken.remove();
        this.taken = undefined;
        this.tell('This page controls the scene again.');
      }
      this.controlled = state.controller;
    });
    studio.on('error', (error) => this.tell(error.message, error.remedy));
    studio.on('notice', (notice) => this.tell(notice.message, notice.remedy));
  }

  tell(message: string, remedy?: string): HTMLElement {
    const toast = element('div', { class: 'toast', role: 'status' }, element('b', { text: message }));
    if (remedy) toast.append(element('span', { text: remedy }));
    const older = [...this.toasts.querySelectorAll('.toast:not(.loading)')];
    const same = older.find((other) => other.isEqualNode(toast));
    // What is said again stays longer, and stands there once.
    if (same) same.remove();
    else if (older.length >= 3) older[0]?.remove();
    this.toasts.append(toast);
    window.setTimeout(() => toast.remove(), TOAST_MS);
    return toast;
  }

  /** To who tries to change what another page controls. */
  tellWatching(): void {
    this.tell('Another page controls the scene.', 'Take control first.');
  }

  private loading(what: string | undefined): void {
    this.pill.hidden = !what;
    this.pill.textContent = what ? `${what} …` : '';
  }

  private lost(): void {
    this.notice.replaceChildren(
      element('div', { class: 'spinner' }),
      element('h2', { text: 'The studio’s server is gone' }),
      element('p', {}, 'Reconnecting. If you stopped it, start it again with ', element('code', { text: 'cargo run --release' }), '; this page finds it by itself.'),
    );
    this.notice.hidden = false;
  }

  private clear(): void {
    window.clearTimeout(this.lostTimer);
    this.lostTimer = undefined;
    this.notice.hidden = true;
  }
}

/** Without WebGL nothing can be drawn; says what to do instead. */
export function tellWebGlIsMissing(notice: HTMLElement): void {
  notice.replaceChildren(
    element('h2', { text: 'This browser cannot draw in 3D' }),
    element('p', { text: 'The studio needs WebGL 2, which is missing or switched off here. A current Firefox, Chrome, Edge or Safari has it; in the browser’s settings look for “hardware acceleration”.' }),
    element('p', {}, 'Without it, ', element('code', { text: 'thenar run ball --film ball.png' }), ' draws a film strip on any machine.'),
  );
  notice.hidden = false;
  document.documentElement.dataset['webgl'] = 'missing';
}
