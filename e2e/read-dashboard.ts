/** A metric that the services export. */
export type KnownMetric = { name: string; type: string; labels: readonly string[] };

/** Returns the queries in a Grafana dashboard (members named `expr`), at any depth. */
export const readExpressions = (part: unknown): string[] => {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'expr' && typeof value === 'string' ? [value] : readExpressions(value),
  );
};

/** Keywords of PromQL, and labels that every scraped series has. */
const LANGUAGE = new Set(['by', 'le', 'instance', 'job']);

/**
 * Returns the names and labels in the queries that no known metric has, and metrics without braces:
 * dashboards must write braces after metrics, which distinguishes them from functions.
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
    // After the removal of everything else, function names and metrics without braces are left.
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

/**
 * Returns the names of a metric's series. A histogram has three, none of which equals its own name.
 */
const seriesOf = ({ name, type }: KnownMetric): string[] =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name];

const wordsBefore = (text: string, operator: RegExp): string[] =>
  text
    .split(',')
    .map((one) => one.split(operator)[0]!.trim())
    .filter(Boolean);
