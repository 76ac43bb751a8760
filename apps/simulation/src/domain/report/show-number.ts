import type { FactUnit } from './number-lock/fact.ts';

/** A number as reports show it: three digits or so, with its unit. */
export const showNumber = (value: number, unit: FactUnit): string => {
  switch (unit) {
    case 'money':
    case 'quantity':
      return showLarge(value);
    case 'price':
      return Math.abs(value) >= THOUSAND ? showLarge(value) : value.toFixed(2);
    case 'percent':
      return `${round(value, Math.abs(value) < 1 ? 2 : 1)} %`;
    case 'multiple':
      return `${round(value, 2)}x`;
    case 'months':
      return counted(round(value, 1), 'month');
    case 'people':
      return counted(Math.round(value), 'employee');
    case 'turn':
      return `turn ${value}`;
    case 'turns':
      return counted(value, 'turn');
    case 'scenarios':
      return counted(value, 'scenario');
    case 'agents':
      return counted(value, 'agent');
    case 'events':
      return counted(value, 'event');
  }
};

const THOUSAND = 1_000;
const SCALES = [
  [1e12, 'trillion'],
  [1e9, 'billion'],
  [1e6, 'million'],
  [1e3, 'thousand'],
] as const;
const DIGITS = 3;

const showLarge = (value: number): string => {
  // What rounds up to a thousand thousands is a million.
  const rounded = Number(value.toPrecision(DIGITS));
  const scale = SCALES.find(([size]) => Math.abs(rounded) >= size);
  return scale ? `${rounded / scale[0]} ${scale[1]}` : String(round(rounded, 2));
};

/** Without a zero that has a sign. */
const round = (value: number, decimals: number): number =>
  Math.round(value * 10 ** decimals) / 10 ** decimals + 0;

const counted = (value: number, one: string): string =>
  `${value} ${Math.abs(value) === 1 ? one : `${one}s`}`;
