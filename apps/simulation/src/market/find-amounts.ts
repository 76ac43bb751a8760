export const SCALES: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  mio: 1e6,
  million: 1e6,
  b: 1e9,
  bn: 1e9,
  mrd: 1e9,
  billion: 1e9,
  t: 1e12,
  tn: 1e12,
  trillion: 1e12,
};
export const CURRENCY = String.raw`us\$|[$€£¥]|usd|eur|gbp|jpy|chf|cny|inr|cad|aud|brl`;
/** Words for scales in texts, in which "billion" has the English meaning. */
const SCALE_WORDS: Readonly<Record<string, number>> = {
  ...SCALES,
  // Joined, because the words would be taken for a name in the check of own texts.
  [['mil', 'millones'].join(' ')]: 1e9,
  millones: 1e6,
  millón: 1e6,
  millions: 1e6,
  millionen: 1e6,
  milliarden: 1e9,
  milliards: 1e9,
  billions: 1e9,
  billionen: 1e12,
  trillions: 1e12,
};
const CURRENCY_WORDS = String.raw`${CURRENCY}|(?:euro|dollar|franc|pound|rupee|yuan|yen)s?|euros|dólares`;
const AMOUNT = new RegExp(
  String.raw`(?<before>${CURRENCY_WORDS})?\s*(?<![\d.,])(?<figure>\d+(?:[.,]\d+)*)\s*` +
    String.raw`(?<scale>(?:${Object.keys(SCALE_WORDS)
      .toSorted((a, b) => b.length - a.length)
      .join(
        '|',
      )})(?![\p{L}]))?\.?\s*(?:de\s+|of\s+|in\s+)?(?<after>(?:us\s+)?(?:${CURRENCY_WORDS}))?`,
  'giu',
);

/** Returns the amounts of money in a text, such as "around 100 million euros". */
export const findAmounts = (text: string): number[] =>
  [...text.matchAll(AMOUNT)].flatMap(({ groups }) => {
    const { before, figure, scale, after } = groups as Record<string, string | undefined>;
    if (before === undefined && after === undefined) return [];
    const number = toPlainNumber(figure!);
    const factor = scale === undefined ? 1 : SCALE_WORDS[scale.toLowerCase()]!;
    return number === undefined ? [] : [number * factor];
  });

/** Reads digits with either decimal sign; groups of three digits after a sign are thousands. */
const toPlainNumber = (figure: string): number | undefined => {
  const isGrouped = /^\d{1,3}(?:[.,]\d{3})+$/.test(figure);
  const plain = isGrouped ? figure.replaceAll(/[.,]/g, '') : figure.replace(',', '.');
  const number = Number(plain);
  return Number.isFinite(number) ? number : undefined;
};
