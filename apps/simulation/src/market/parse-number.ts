const SCALES: Readonly<Record<string, number>> = {
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
const CURRENCY = String.raw`us\$|[$€£¥]|usd|eur|gbp|jpy|chf|cny|inr|cad|aud|brl`;
const FIGURE = new RegExp(
  String.raw`^(?:~|about|approx\.?|approximately|ca\.?)?\s*(?:${CURRENCY})?\s*` +
    String.raw`(?<figure>-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s*` +
    String.raw`(?<scale>${Object.keys(SCALES).join('|')})?\s*(?:%|percent|${CURRENCY})?$`,
);
const FIGURE_LENGTH_MAX = 60;

/**
 * Returns the value of a JSON number or of a text such as `$12.5 billion`. Returns undefined for
 * other values and for ambiguous texts, such as a range or a magnitude in another language.
 */
export const parseNumber = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > FIGURE_LENGTH_MAX) return undefined;
  const found = FIGURE.exec(value.trim().toLowerCase())?.groups;
  if (!found) return undefined;
  const { figure, scale } = found;
  return Number(figure!.replaceAll(',', '')) * (scale === undefined ? 1 : SCALES[scale]!);
};
