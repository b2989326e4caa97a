// Presets and methods: one row of buttons each, and each acts while the simulation runs.

import { element } from '../dom';
import { JOINTLESS_PRESET, NO_JOINTS } from '../input/ability';
import type { Setting, SwitchOption } from '../protocol/messages';
import type { Studio } from '../studio';
import { title } from './scenes';

const MEASURES = 'hand';
const DEVICE = 'haptics';
/** Words of people for those of the wire. */
const SPOKEN: Record<string, string> = { sim3: '3 motors', sim6: '6 motors' };
const BUILT_ANEW = 'The hand is built anew for it: things stay where they are, and the fingers close again around what they hold, as far as they reach.';
const NO_SKELETON = 'None of these now: this hand has one rigid handle in the palm and no joints.';
const BUILT_WITHOUT_JOINTS = `The hand is built anew for it: things stay where they are. ${NO_JOINTS}`;

export class MethodsPanel {
  readonly root = element('div', { class: 'methods' });
  /** Whose hand it is; stands with the other controls of the hand. */
  readonly measures = element('div', { class: 'methods' });
  /** Which device holds the hand; stands with what is felt. */
  readonly device = element('div', { class: 'methods' });
  private offer = '';
  private switches: SwitchOption[] = [];
  private readonly rows = new Map<string, Map<string, HTMLButtonElement>>();

  constructor(
    private readonly studio: Studio,
    private readonly tell: (message: string) => void,
  ) {
    studio.on('options', (options) => this.take(options.switches));
    studio.on('sent', (message) => {
      if (message.type === 'set') this.mark(message.key, message.value);
    });
  }

  /** Rows are made anew only when what they offer has changed: a button that is being pressed stays. */
  private take(switches: SwitchOption[]): void {
    this.switches = switches;
    const offer = JSON.stringify(switches.map(({ key, label, values }) => [key, label, values]));
    if (offer !== this.offer) {
      this.offer = offer;
      this.fill(switches);
    }
    for (const option of switches) {
      this.mark(option.key, option.value);
      this.explain(option);
    }
  }

  /** One sentence and its paper for each choice; a choice that makes no difference now is grey and says why. */
  private explain(option: SwitchOption): void {
    const buttons = this.rows.get(option.key);
    const row = buttons?.values().next().value?.closest<HTMLElement>('.row');
    if (!buttons || !row) return;
    row.classList.toggle('idle', Boolean(option.idle));
    const differs = option.differs ?? [];
    row.classList.toggle('changed', differs.length > 0);
    const label = row.querySelector('.row-label');
    if (label) label.textContent = differs.length > 0 ? `${option.label}, changed` : option.label;
    const none = option.key === 'skeleton' && !option.values.includes(option.value) ? NO_SKELETON : undefined;
    row.title = option.idle ?? none ?? (differs.length > 0 ? `Not as the preset brings it: ${differs.join(', ')}. Choose the preset again for its own.` : '');
    option.values.forEach((value, k) => {
      const segment = buttons.get(value);
      if (!segment) return;
      const lines = [option.about?.[k], this.whatItTakes(option, value), option.idle, none];
      segment.title = lines.filter(Boolean).join('\n');
    });
  }

  private whatItTakes(option: SwitchOption, value: string): string | undefined {
    if (!option.rebuilds?.includes(value) || this.studio.scene?.hands.length === 0) return undefined;
    return option.key === 'preset' && value === JOINTLESS_PRESET ? BUILT_WITHOUT_JOINTS : BUILT_ANEW;
  }

  /** Says beforehand what a choice takes. */
  private choose(key: string, value: string): void {
    const option = this.switches.find((other) => other.key === key);
    const takes = option && this.whatItTakes(option, value);
    // What is refused needs no word of what it would take.
    if (takes && this.studio.controls && !this.studio.state?.recording) this.tell(takes);
    this.studio.send({ type: 'set', key, value });
  }

  private fill(switches: SwitchOption[]): void {
    this.root.replaceChildren();
    this.measures.replaceChildren();
    this.device.replaceChildren();
    this.rows.clear();
    const places: Record<string, HTMLElement> = { [MEASURES]: this.measures, [DEVICE]: this.device };
    for (const option of switches) (places[option.key] ?? this.root).append(this.row(option));
  }

  private row(option: SwitchOption): HTMLElement {
    const buttons = new Map<string, HTMLButtonElement>();
    const strip = element('div', { class: 'segments', role: 'group', aria: { label: option.label } });
    for (const value of option.values) {
      const segment = element('button', { type: 'button', text: SPOKEN[value] ?? title(value), data: { value } });
      segment.addEventListener('click', () => this.choose(option.key, value));
      buttons.set(value, segment);
      strip.append(segment);
    }
    this.rows.set(option.key, buttons);
    return element('div', { class: option.key === DEVICE || option.values.join(' ').length > 24 ? 'row wide' : 'row', data: { switch: option.key } }, element('span', { class: 'row-label', text: option.label }), strip);
  }

  private mark(key: string, value: Setting): void {
    for (const [name, segment] of this.rows.get(key) ?? []) segment.setAttribute('aria-pressed', String(name === String(value)));
  }
}
