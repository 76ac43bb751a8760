import type { JsonObject } from '@witan/dialects';
import { CURRENCY, findAmounts, SCALES } from './find-amounts.ts';
import { isObject, parseNumber, toConfidence } from './reading-context.ts';
import type { ReadingContext } from './reading-context.ts';

const UNKNOWN = 'Not known: the model gave no figure.';
const CONTRADICTED = 'Not known: the figures of the model contradict each other.';
const YEAR_MIN = 1_900;
const GROWTH_MAX = 1_000;
/** Growth in percent below which it is probably a fraction, as 0.05 for 5 percent. */
const FRACTION_MAX = 0.5;
const WORD_LENGTH_MAX = 100;

const METHODS = ['top_down', 'bottom_up', 'unknown'] as const;

type Figures = Record<'value' | 'low' | 'high' | 'tam' | 'sam' | 'som', number | null>;

/**
 * Returns the market size with low <= value <= high and SOM <= SAM <= TAM. Figures that contradict
 * this order are corrected or left out as null.
 */
export const normalizeMarketSize = (parsed: unknown, context: ReadingContext) => {
  const sizeObject = isObject(parsed) ? parsed : { description: parsed };
  const { factor, unit } = readUnit(sizeObject['unit'], context);
  const written = writeOut(readFigures(sizeObject, context), factor, context);
  const claimed = context.textReader.read(sizeObject['description']);
  const stated = dropContradicted(written, claimed ?? '', context);
  // Read again without the amounts that were just found to be contradicted.
  const description = context.textReader.read(sizeObject['description']);
  const figures = orderSegments(orderRange(stated, context), context);
  const isContradicted = stated !== written;
  const isKnown = Object.values(figures).some((figure) => figure !== null);
  const { value, low, high, tam, sam, som } = figures;
  const readWord = (name: string): string | null =>
    context.textReader.read(sizeObject[name], WORD_LENGTH_MAX);
  return {
    description: description ?? (isKnown ? null : isContradicted ? CONTRADICTED : UNKNOWN),
    value,
    unit,
    currency: readWord('currency'),
    year: readYear(sizeObject['year'], context),
    region: readWord('region'),
    cagrPct: readGrowth(sizeObject['cagrPct'], context),
    low,
    high,
    method: METHODS.find((method) => method === sizeObject['method']) ?? 'unknown',
    confidence: isKnown ? toConfidence(sizeObject['confidence']) : 0,
    ...(context.budget.hasSegments ? { tam, sam, som } : {}),
  };
};

export const isUnknownSize = ({ description }: ReturnType<typeof normalizeMarketSize>): boolean =>
  description === UNKNOWN || description === CONTRADICTED;

const readFigures = (parsed: JsonObject, { budget, note }: ReadingContext): Figures => {
  const readFigure = (name: keyof Figures): number | null => {
    const rawValue = parsed[name] ?? null;
    const figure = parseNumber(rawValue);
    if (figure !== undefined && figure >= 0) return figure;
    if (rawValue !== null) note(`The market size's ${name} was left out: it was no figure.`);
    return null;
  };
  const segment = (name: 'tam' | 'sam' | 'som') => (budget.hasSegments ? readFigure(name) : null);
  return {
    value: readFigure('value'),
    low: readFigure('low'),
    high: readFigure('high'),
    tam: segment('tam'),
    sam: segment('sam'),
    som: segment('som'),
  };
};

const SCALE_UNIT = new RegExp(
  String.raw`^(?:${CURRENCY})?\s*(?<scale>${Object.keys(SCALES).join('|')})s?\s*(?:of |in )?` +
    String.raw`(?:${CURRENCY}|euros?|dollars?)?$`,
  'iu',
);

/** Returns the unit; a scale such as "million" is none, but the factor of the figures. */
const readUnit = (
  value: unknown,
  { textReader }: ReadingContext,
): { unit: string | null; factor: number } => {
  const unit = textReader.read(value, WORD_LENGTH_MAX);
  const scale = SCALE_UNIT.exec(unit ?? '')?.groups?.['scale'];
  return scale === undefined
    ? { unit, factor: 1 }
    : { unit: null, factor: SCALES[scale.toLowerCase()]! };
};

/** Largest size of a market, in any currency, that is not read as written out already. */
const SIZE_MAX = 1e15;

const writeOut = (figures: Figures, factor: number, { note }: ReadingContext): Figures => {
  if (factor === 1) return figures;
  note('The unit of the market size was a scale; its figures are shown with all their digits.');
  const largest = Math.max(...Object.values(figures).map((figure) => figure ?? 0));
  if (largest >= factor || largest * factor > SIZE_MAX) return figures;
  const entries = Object.entries(figures).map(([name, figure]) => [
    name,
    figure && figure * factor,
  ]);
  return Object.fromEntries(entries) as Figures;
};

/** Factor by which two figures for the same market may differ. */
const DEVIATION_MAX = 9.5;

/**
 * Leaves out the value and its range if the description names amounts of money, and each of them
 * differs from the value by about ten times or more: one of the two is wrong by its zeros. The
 * amounts are removed from all texts.
 */
const dropContradicted = (
  figures: Figures,
  description: string,
  { note, textReader }: ReadingContext,
): Figures => {
  const { value } = figures;
  const amounts = findAmounts(description).filter((amount) => amount > 0);
  const differs = (amount: number): boolean =>
    Math.max(amount / value!, value! / amount) >= DEVIATION_MAX;
  if (!value || amounts.length === 0 || !amounts.every(differs)) return figures;
  note('The market size was left out: its figure and its description contradict each other.');
  textReader.dropAmounts(amounts);
  return { ...figures, value: null, low: null, high: null };
};

const orderRange = (figures: Figures, { note }: ReadingContext): Figures => {
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

const orderSegments = (figures: Figures, { note }: ReadingContext): Figures => {
  const { tam, low, high, value } = figures;
  const isInconsistent =
    tam !== null && (tam < (low ?? value ?? tam) || tam > (high ?? value ?? tam));
  if (isInconsistent) note('The TAM was left out: it was outside of the range of the market size.');
  const total = isInconsistent ? null : tam;
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

const readYear = (parsed: unknown, { yearMax, note }: ReadingContext): number | null => {
  const year = parseNumber(parsed);
  if (year === undefined) return null;
  if (Number.isInteger(year) && year >= YEAR_MIN && year <= yearMax) return year;
  note('The year of the market size was left out: it was none of the past.');
  return null;
};

const readGrowth = (parsed: unknown, { note }: ReadingContext): number | null => {
  const growth = parseNumber(parsed);
  if (growth === undefined) return null;
  if (growth !== 0 && Math.abs(growth) < FRACTION_MAX) {
    note('The growth of the market was left out: it looks like a fraction, not like percent.');
    return null;
  }
  if (growth >= -100 && growth <= GROWTH_MAX) return growth;
  note('The growth of the market was left out: no market grows or shrinks like that.');
  return null;
};
