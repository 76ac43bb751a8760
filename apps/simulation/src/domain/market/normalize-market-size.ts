import type { JsonObject } from '@witan/dialects';
import { isObject, toConfidence } from './answer-reading.ts';
import type { AnswerReading } from './answer-reading.ts';
import { toMethod } from './market-analysis.ts';
import type { MarketSize } from './market-analysis.ts';
import { takeNumber } from './take-number.ts';

const UNKNOWN = 'Not known: the model gave no figure.';
const YEAR_MIN = 1_900;
const GROWTH_MAX = 1_000;
const WORD_LENGTH_MAX = 100;

type Figures = Record<'value' | 'low' | 'high' | 'tam' | 'sam' | 'som', number | null>;

/** Returns the market size with low <= value <= high and SOM <= SAM <= TAM, or null. */
export const normalizeMarketSize = (parsed: unknown, reading: AnswerReading): MarketSize => {
  const given = isObject(parsed) ? parsed : { description: parsed };
  const figures = orderSegments(orderRange(takeFigures(given, reading), reading), reading);
  const isKnown = Object.values(figures).some((figure) => figure !== null);
  const { value, low, high, tam, sam, som } = figures;
  const word = (name: string): string | null => reading.texts.one(given[name], WORD_LENGTH_MAX);
  return {
    description: reading.texts.one(given['description']) ?? (isKnown ? null : UNKNOWN),
    value,
    unit: word('unit'),
    currency: word('currency'),
    year: takeYear(given['year'], reading),
    region: word('region'),
    cagrPct: takeGrowth(given['cagrPct'], reading),
    low,
    high,
    method: toMethod(given['method']),
    confidence: isKnown ? toConfidence(given['confidence']) : 0,
    ...(reading.budget.hasSegments ? { tam, sam, som } : {}),
  };
};

export const isUnknownSize = ({ description }: MarketSize): boolean => description === UNKNOWN;

const takeFigures = (parsed: JsonObject, { budget, note }: AnswerReading): Figures => {
  const take = (name: keyof Figures): number | null => {
    const given = parsed[name] ?? null;
    const figure = takeNumber(given);
    if (figure !== undefined && figure >= 0) return figure;
    if (given !== null) note(`The market size's ${name} was left out: it was no figure.`);
    return null;
  };
  const segment = (name: 'tam' | 'sam' | 'som') => (budget.hasSegments ? take(name) : null);
  return {
    value: take('value'),
    low: take('low'),
    high: take('high'),
    tam: segment('tam'),
    sam: segment('sam'),
    som: segment('som'),
  };
};

const orderRange = (figures: Figures, { note }: AnswerReading): Figures => {
  let { low, high } = figures;
  const { value } = figures;
  if (low !== null && high !== null && low > high) {
    [low, high] = [high, low];
    note("The market size's low and high were the wrong way round, and were exchanged.");
  }
  if (value === null) return { ...figures, low, high };
  if ((low !== null && low > value) || (high !== null && high < value)) {
    note("The market size's value was outside of its range, which was widened to hold it.");
    low = low === null ? null : Math.min(low, value);
    high = high === null ? null : Math.max(high, value);
  }
  return { ...figures, low, high };
};

const orderSegments = (figures: Figures, { note }: AnswerReading): Figures => {
  const { tam } = figures;
  const { low, high, value } = figures;
  const isOff = tam !== null && (tam < (low ?? value ?? tam) || tam > (high ?? value ?? tam));
  if (isOff) note('The TAM was left out: it was outside of the range of the market size.');
  const total = isOff ? null : tam;
  const sam = dropIfLarger(figures.sam, total ?? high ?? value, () =>
    note('The SAM was left out: it was larger than the market.'),
  );
  const som = dropIfLarger(figures.som, sam ?? total ?? high ?? value, () =>
    note('The SOM was left out: it was larger than what it is part of.'),
  );
  return { ...figures, tam: total, sam, som };
};

const dropIfLarger = (
  part: number | null,
  whole: number | null,
  onLarger: () => void,
): number | null => {
  if (part === null || whole === null || part <= whole) return part;
  onLarger();
  return null;
};

const takeYear = (parsed: unknown, { yearMax, note }: AnswerReading): number | null => {
  const year = takeNumber(parsed);
  if (year === undefined) return null;
  if (Number.isInteger(year) && year >= YEAR_MIN && year <= yearMax) return year;
  note('The year of the market size was left out: it was none of the past.');
  return null;
};

const takeGrowth = (parsed: unknown, { note }: AnswerReading): number | null => {
  const growth = takeNumber(parsed);
  if (growth === undefined) return null;
  if (growth >= -100 && growth <= GROWTH_MAX) return growth;
  note('The growth of the market was left out: no market grows or shrinks like that.');
  return null;
};
