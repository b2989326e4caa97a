// The hand by sliders: which grasp, how far closed, and each finger.

import { element } from '../dom';
import type { HandDriver } from '../input/hand_driver';
import type { Studio } from '../studio';
import { title } from './scenes';
import { Slider } from './slider';

const GRASPS = ['ball', 'cylinder', 'pinch', 'tripod', 'fist', 'point'];
const FINGERS = ['Thumb', 'Index', 'Middle', 'Ring', 'Little'];

export class HandPanel {
  readonly root = element('div', { class: 'hand-panel' });
  private readonly grasps = new Map<string, HTMLButtonElement>();

  constructor(
    private readonly studio: Studio,
    private readonly driver: HandDriver,
  ) {
    const strip = element('div', { class: 'segments wrap', role: 'group', aria: { label: 'Grasp' } });
    for (const name of GRASPS) {
      const segment = element('button', { type: 'button', text: title(name), data: { grasp: name } });
      segment.addEventListener('click', () => {
        driver.chooseGrasp(name);
        this.mark();
      });
      this.grasps.set(name, segment);
      strip.append(segment);
    }
    const closing = new Slider({ label: 'Closed', min: 0, max: 1.2, step: 0.01, value: 0 }, (value) => {
      this.takeOver();
      driver.close(value);
    });
    closing.input.dataset['slider'] = 'closing';
    driver.onAmount = (amount) => closing.show(amount);
    this.root.append(strip, closing.root);
    FINGERS.forEach((label, digit) => {
      const slider = new Slider({ label: `${label}`, min: 0, max: 1, step: 0.01, value: 0 }, (value) => {
        this.takeOver();
        driver.curl(digit, value);
      });
      slider.root.title = `Hold ${digit + 1} to bend it`;
      this.root.append(slider.root);
    });
    this.root.append(this.fitButton());
    studio.on('scene', () => this.mark());
    studio.on('options', () => this.offer());
    this.mark();
  }

  /** Your own hand, by what the headset saw of it last. */
  private fitButton(): HTMLElement {
    const fit = element('button', { type: 'button', class: 'chip', text: 'Fit to my hand', title: 'Enter VR first and hold your open hand in view' });
    fit.disabled = true;
    fit.addEventListener('click', () => this.studio.send({ type: 'fit', hand: this.driver.hand }));
    this.studio.on('sent', (message) => {
      if (message.type === 'joints') fit.disabled = false;
    });
    return fit;
  }

  /** What bends the hand is there for hands that bend. */
  private offer(): void {
    const { whyNoGrasp } = this.driver;
    this.root.title = whyNoGrasp ?? '';
    for (const control of this.root.querySelectorAll<HTMLInputElement | HTMLButtonElement>('input, [data-grasp]')) control.disabled = whyNoGrasp !== undefined;
  }

  private takeOver(): void {
    if (this.studio.state?.mode !== 'mouse') this.driver.takeOver(this.driver.hand);
  }

  private mark(): void {
    for (const [name, segment] of this.grasps) segment.setAttribute('aria-pressed', String(name === this.driver.graspName));
  }
}
