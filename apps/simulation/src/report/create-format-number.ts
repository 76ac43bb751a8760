import type { Language } from './language.ts';

/** Unit of a figure. It limits which amounts in the prose can match the figure. */
export type FigureUnit =
  | 'money'
  | 'price'
  | 'percent'
  | 'points'
  | 'multiple'
  | 'months'
  | 'people'
  /** `turn` is the number of a turn, as in "turn 3"; `turns` is a count, as in "3 turns". */
  | 'turn'
  | 'turns'
  | 'scenarios'
  | 'events';

export type ReportFigure = {
  /** Name of the scenario; empty for a figure of the whole simulation. */
  scenario: string;
  label: string;
  value: number;
  unit: FigureUnit;
  /** True if the value is a change; a negative value is then a decline. */
  isChange: boolean;
  text: string;
};

export type DraftFigure = Omit<ReportFigure, 'isChange' | 'text'> & { isChange?: boolean };

type NumberStyle = { language: Language; currency: string };

export type FormatNumber = (value: number, unit: FigureUnit) => string;

/**
 * Creates a function that formats numbers with their units: money and prices from a thousand on
 * with up to three significant digits; percentages and points with up to one decimal, below one
 * with up to two; lower prices with two decimals, multiples with up to two, months with up to one;
 * counts as whole numbers.
 */
export const createFormatNumber = ({ language, currency }: NumberStyle): FormatNumber => {
  const words = WORDS[language];
  const localize = (text: string): string => text.replace('.', words.point);
  const digits = (value: number, decimals: number): string => localize(round(value, decimals));
  const formatCount = (
    value: number,
    [singular, plural]: readonly [string, string],
    decimals = 0,
  ): string =>
    `${digits(value, decimals)} ${round(Math.abs(value), decimals) === '1' ? singular : plural}`;
  const large = (value: number): string => {
    const rounded = Number(value.toPrecision(DIGITS));
    const scale = words.scales.find(([size]) => Math.abs(rounded) >= size);
    if (!scale) return digits(rounded, 2);
    const [size, ...names] = scale;
    return formatCount(rounded / size, names, DIGITS);
  };
  const money = (text: string): string => (currency === '' ? text : `${text} ${currency}`);
  return (value, unit) => {
    switch (unit) {
      case 'money':
        return money(large(value));
      case 'price':
        return money(Math.abs(value) >= THOUSAND ? large(value) : localize(value.toFixed(2)));
      case 'percent':
        return `${digits(value, Math.abs(value) < 1 ? 2 : 1)} %`;
      case 'points':
        return formatCount(value, words.points, Math.abs(value) < 1 ? 2 : 1);
      case 'multiple':
        return `${digits(value, 2)}${words.times}`;
      case 'months':
        return formatCount(value, words.months, 1);
      case 'people':
        return formatCount(value, words.people).replace(/\d+/, (count) =>
          count.replaceAll(/\B(?=(?:\d{3})+$)/gu, words.group),
        );
      case 'turn':
        return `${words.turn} ${value}`;
      default:
        return formatCount(value, words[unit]);
    }
  };
};

const THOUSAND = 1_000;
const DIGITS = 3;

const WORDS = {
  en: {
    point: '.',
    group: ',',
    scales: [
      [1e12, 'trillion', 'trillion'],
      [1e9, 'billion', 'billion'],
      [1e6, 'million', 'million'],
      [1e3, 'thousand', 'thousand'],
    ],
    times: 'x',
    points: ['percentage point', 'percentage points'],
    months: ['month', 'months'],
    people: ['employee', 'employees'],
    turn: 'turn',
    turns: ['turn', 'turns'],
    scenarios: ['scenario', 'scenarios'],
    events: ['event', 'events'],
  },
  de: {
    point: ',',
    group: '.',
    scales: [
      [1e12, 'Billion', 'Billionen'],
      [1e9, 'Milliarde', 'Milliarden'],
      [1e6, 'Million', 'Millionen'],
      [1e3, 'Tausend', 'Tausend'],
    ],
    times: '-fach',
    points: ['Prozentpunkt', 'Prozentpunkte'],
    months: ['Monat', 'Monate'],
    people: ['Beschäftigter', 'Beschäftigte'],
    turn: 'Runde',
    turns: ['Runde', 'Runden'],
    scenarios: ['Szenario', 'Szenarien'],
    events: ['Ereignis', 'Ereignisse'],
  },
} as const;

/** Rounds half away from zero and returns the number without trailing zeros or a negative zero. */
const round = (value: number, decimals: number): string =>
  String((Math.sign(value) * Math.round(Math.abs(value) * 10 ** decimals)) / 10 ** decimals + 0);

/**
 * Returns `given` if it is three capital letters, like an ISO code, or a currency sign, otherwise
 * an empty text.
 */
export const readCurrency = (given: unknown): string =>
  typeof given === 'string' && /^(?:[A-Z]{3}|\p{Sc})$/u.test(given.trim()) ? given.trim() : '';
