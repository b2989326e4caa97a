// Light and dark: as the system says, until a person says otherwise.

import type { Theme } from './view/backdrop';

const KEY = 'thenar.theme';

export class ThemeSwitch {
  private readonly system = window.matchMedia('(prefers-color-scheme: dark)');
  private chosen: Theme | undefined;

  constructor(private readonly onChange: (theme: Theme) => void) {
    try {
      const kept = localStorage.getItem(KEY);
      if (kept === 'light' || kept === 'dark') this.chosen = kept;
    } catch {
      // Private windows may refuse: the system's theme then holds.
    }
    this.system.addEventListener('change', () => this.apply());
  }

  get theme(): Theme {
    return this.chosen ?? (this.system.matches ? 'dark' : 'light');
  }

  toggle(): void {
    this.chosen = this.theme === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(KEY, this.chosen);
    } catch {
      // As above.
    }
    this.apply();
  }

  apply(): void {
    document.documentElement.dataset['theme'] = this.theme;
    this.onChange(this.theme);
  }
}
