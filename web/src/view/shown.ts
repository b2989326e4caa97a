// What the viewer wants to see.

export interface Shown {
  skeleton: boolean;
  tets: boolean;
  contacts: boolean;
  forces: boolean;
  pressure: boolean;
  tracked: boolean;
  tactile: boolean;
}

export const NOTHING_EXTRA: Shown = { skeleton: false, tets: false, contacts: false, forces: false, pressure: false, tracked: false, tactile: false };

export const TACTILE_TITLE = 'What discs on the fingertips would do: pads with touching samples in red, free ones in blue';

export const SHOWN_LABELS: readonly (readonly [keyof Shown, string, string])[] = [
  ['pressure', 'Pressure', 'Colours the skin by the pressure on it'],
  ['forces', 'Forces', 'One arrow per digit: the force on the skin'],
  ['contacts', 'Contact points', 'Discs where the skin touches; white ones slip'],
  ['skeleton', 'Skeleton', 'The sixteen simulated bones'],
  ['tets', 'Tetrahedra', 'The elements of the soft tissue'],
  ['tracked', 'Tracked hand', 'Where the tracker says the hand is, as a ghost'],
  ['tactile', 'Tactile discs', TACTILE_TITLE],
];
