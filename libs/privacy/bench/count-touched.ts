import type { Detect } from '../src/index.ts';
import type { PackageRow } from './sample-packages.ts';

/** Of the rows of a kind, how many have a span of a name. */
export type Touched = { kind: PackageRow['kind']; rows: number; touched: number };

const NAMES = new Set(['PERSON', 'ADDRESS', 'ORG', 'LOCATION']);

/** Counts rows in which nobody is named and that a detector would mask a name in. */
export const countTouched = (rows: readonly PackageRow[], detect: Detect): Touched[] =>
  (['code', 'json', 'prose'] as const).map((kind) => {
    const some = rows.filter((row) => row.kind === kind);
    const touched = some.filter(({ text }) =>
      detect(text).some(({ category }) => NAMES.has(category)),
    );
    return { kind, rows: some.length, touched: touched.length };
  });
