/** A metric that the services export. */
export type KnownMetric = { name: string; type: string; labels: readonly string[] };

/** Returns the queries in a Grafana dashboard (members named `expr`), at any depth. */
export const readExpressions = (part: unknown): string[] => {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'expr' && typeof value === 'string' ? [value] : readExpressions(value),
  );
};

/** A keyword of PromQL, and labels that every scraped series or histogram bucket has. */
const PROMQL_NAMES = new Set(['by', 'le', 'instance', 'job']);

/**
 * Returns the metrics and labels in the queries that are not known, and metrics without braces:
 * dashboards must write braces after metrics, to distinguish them from functions.
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
    // After this removal only names without braces are left: metrics that lack them, and
    // aggregations.
    const rest = expression
      .replaceAll(/"[^"]*"|\w+\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ')
      .matchAll(/\b[a-z_]\w*\b(?!\s*\()/g);
    const namesWithoutBraces = [...rest]
      .map(([name]) => name)
      .filter((name) => !/^(sum|max|rate)$/.test(name));
    return [
      ...names.filter((name) => !byName.has(name)),
      ...[...filters, ...groups].filter((one) => !labels.has(one) && !PROMQL_NAMES.has(one)),
      ...namesWithoutBraces,
    ];
  });
};

/** Returns the names of a metric's series. The three series of a histogram have suffixes. */
const seriesOf = ({ name, type }: KnownMetric): string[] =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name];

const wordsBefore = (text: string, operator: RegExp): string[] =>
  text
    .split(',')
    .map((one) => one.split(operator)[0]!.trim())
    .filter(Boolean);
