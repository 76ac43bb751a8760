/** What a fact counts: a numeral of one unit never stands for a fact of another. */
export type FactUnit =
  | 'money'
  | 'price'
  | 'percent'
  /** Percentage points: the difference of two percentages. */
  | 'points'
  | 'multiple'
  | 'months'
  | 'people'
  | 'quantity'
  /** Which turn, and how many. */
  | 'turn'
  | 'turns'
  | 'scenarios'
  | 'agents'
  | 'events';

/** One number that was computed, and the words that it may be told in. */
export type Fact = {
  /** Empty: of the whole simulation. */
  scenario: string;
  label: string;
  value: number;
  unit: FactUnit;
  /** How much something grew, or shrank where it is negative. */
  isChange: boolean;
  /** As it is shown, rounded. */
  text: string;
};

/** Units whose numbers are counted: they have no rounding. */
export const COUNTED: ReadonlySet<FactUnit> = new Set([
  'turn',
  'turns',
  'scenarios',
  'agents',
  'events',
]);
