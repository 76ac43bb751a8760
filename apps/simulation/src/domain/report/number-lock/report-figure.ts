/** The unit of a figure; a numeral of one unit never matches a figure of another. */
export type FigureUnit =
  | 'money'
  | 'price'
  | 'percent'
  /** Percentage points: the difference of two percentages. */
  | 'points'
  | 'multiple'
  | 'months'
  | 'people'
  | 'quantity'
  /** The number of a turn, and a count of turns. */
  | 'turn'
  | 'turns'
  | 'scenarios'
  | 'agents'
  | 'events';

/** A computed number with its label and the text that shows it. */
export type ReportFigure = {
  /** Empty: the whole simulation. */
  scenario: string;
  label: string;
  value: number;
  unit: FigureUnit;
  /** True if the number is a growth, negative for a decline. */
  isChange: boolean;
  /** The rounded text. */
  text: string;
};

/** Units of counts, which are never rounded. */
export const COUNTED: ReadonlySet<FigureUnit> = new Set([
  'turn',
  'turns',
  'scenarios',
  'agents',
  'events',
]);
