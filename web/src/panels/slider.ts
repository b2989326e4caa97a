// A slider with its name and its value.

import { element } from '../dom';

export interface SliderSpec {
  label: string;
  min: number;
  max: number;
  step: number;
  value: number;
  unit?: string;
}

export class Slider {
  readonly root: HTMLLabelElement;
  readonly input: HTMLInputElement;
  private readonly output = element('output');
  private readonly digits: number;

  constructor(
    private readonly spec: SliderSpec,
    onInput: (value: number) => void,
  ) {
    this.digits = Math.max(0, Math.min(4, Math.ceil(-Math.log10(spec.step) - 1e-9)));
    this.input = element('input', { type: 'range' });
    this.input.min = String(spec.min);
    this.input.max = String(spec.max);
    this.input.step = String(spec.step);
    this.input.addEventListener('input', () => {
      this.label();
      onInput(this.input.valueAsNumber);
    });
    this.root = element('label', { class: 'slider' }, element('span', { class: 'row-label', text: spec.label }), this.input, this.output);
    this.show(spec.value);
  }

  show(value: number): void {
    if (document.activeElement === this.input && this.input.matches(':active')) return;
    this.input.value = String(value);
    this.label();
  }

  private label(): void {
    const { min, max, unit } = this.spec;
    const value = this.input.valueAsNumber;
    this.output.textContent = `${value.toFixed(this.digits)}${unit ? ` ${unit}` : ''}`;
    this.input.style.setProperty('--share', `${((value - min) / (max - min)) * 100}%`);
  }
}
