/** A metric as a dashboard may ask for it. */
export type KnownMetric = { name: string; type: string; labels: readonly string[] };

/** All queries of a Grafana dashboard, wherever they stand in it. */
export const readExpressions = (part: unknown): string[] => {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'expr' && typeof value === 'string' ? [value] : readExpressions(value),
  );
};

/** Words of the query language, and labels that the scraping adds. */
const LANGUAGE = new Set(['by', 'le', 'instance', 'job']);

/**
 * What queries ask for and nobody answers: metrics, parts of histograms, labels. Metrics are to be
 * written with braces, so that they can be told from everything else.
 */
export const findUnknown = (
  expressions: readonly string[],
  known: readonly KnownMetric[],
): string[] => {
  const byName = new Map(known.flatMap((metric) => seriesOf(metric).map((name) => [name, metric])));
  return expressions.flatMap((expression) => {
    const selectors = [...expression.matchAll(/(\w+)\{([^}]*)\}/g)];
    const names = selectors.map(([, name]) => name!);
    const labels = new Set(names.flatMap((name) => byName.get(name)?.labels ?? []));
    const filters = selectors.flatMap(([, , filter = '']) => wordsBefore(filter, /[=!]/));
    const groups = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(',').map((label) => label.trim()),
    );
    // What is left are functions, which are called, and names that should have braces.
    const rest = expression
      .replaceAll(/"[^"]*"|\w+\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ')
      .matchAll(/\b[a-z_]\w*\b(?!\s*\()/g);
    const loose = [...rest].map(([name]) => name).filter((name) => !/^(sum|max|rate)$/.test(name));
    return [
      ...names.filter((name) => !byName.has(name)),
      ...[...filters, ...groups].filter((one) => !labels.has(one) && !LANGUAGE.has(one)),
      ...loose,
    ];
  });
};

/** A histogram is read by its parts only. */
const seriesOf = ({ name, type }: KnownMetric): string[] =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name];

const wordsBefore = (text: string, operator: RegExp): string[] =>
  text
    .split(',')
    .map((one) => one.split(operator)[0]!.trim())
    .filter(Boolean);
