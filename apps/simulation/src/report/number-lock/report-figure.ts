/** Unit of a figure. An amount in the prose matches only figures of the same unit. */
export type FigureUnit =
  | 'money'
  | 'price'
  | 'percent'
  | 'points'
  | 'multiple'
  | 'months'
  | 'people'
  | 'quantity'
  /** `turn` is the number of a turn, as in "turn 3"; `turns` is a count, as in "3 turns". */
  | 'turn'
  | 'turns'
  | 'scenarios'
  | 'agents'
  | 'events';

export type ReportFigure = {
  scenario: string;
  label: string;
  value: number;
  unit: FigureUnit;
  /** True if the value is a difference, of which a decline is negative. */
  isChange: boolean;
  text: string;
};

export const COUNTED: ReadonlySet<FigureUnit> = new Set([
  'turn',
  'turns',
  'scenarios',
  'agents',
  'events',
]);
