// All gestures and keys on one card.

import { element } from '../dom';

const ROWS: readonly (readonly [string, string])[] = [
  ['Drag the hand', 'moves it sideways, up and down'],
  ['Scroll', 'moves it away or closer'],
  ['Space', 'closes it while held'],
  ['1 2 3 4 5', 'bend thumb to little finger while held'],
  ['W A S D', 'move it over the table'],
  ['Arrow keys', 'move it sideways, up and down'],
  ['Q E', 'roll it; Z X turn it'],
  ['Drag elsewhere', 'turns the view; the middle button shifts it'],
  ['Shift + scroll', 'zooms'],
  ['6 7 8', 'look from the thumb, into the palm, over the hand'],
  ['0', 'looks at everything again'],
  ['F', 'fills the screen'],
  ['P', 'plays and pauses; . is a single step'],
  ['R', 'starts the scene again'],
  ['C', 'saves a picture'],
];

export class HelpCard {
  private readonly dialog: HTMLDialogElement;

  constructor() {
    const table = element('table');
    for (const [key, effect] of ROWS) table.append(element('tr', {}, element('th', { text: key }), element('td', { text: effect })));
    const close = element('button', { type: 'button', class: 'chip', text: 'Close' });
    this.dialog = element('dialog', { id: 'help', aria: { label: 'How to move the hand' } }, element('h2', { text: 'Your hand' }), table, close);
    close.addEventListener('click', () => this.dialog.close());
    this.dialog.addEventListener('click', (event) => {
      // A click beside the card.
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  show(): void {
    if (!this.dialog.open) this.dialog.showModal();
  }
}
