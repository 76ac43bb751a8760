/** Unit of a figure; amounts match only figures of the same unit. */
export type FigureUnit =
  | 'money'
  | 'price'
  | 'percent'
  | 'points'
  | 'multiple'
  | 'months'
  | 'people'
  | 'quantity'
  /** `turn` is the number of a turn, `turns` is a count. */
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
  /** True if the value is a change; a decline is negative. */
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
