import type { Detect } from '../src/index.ts';
import type { PackageRow } from './sample-packages.ts';

export type MaskedRows = { kind: PackageRow['kind']; rows: number; masked: number };

const NAMES = new Set(['PERSON', 'ADDRESS', 'ORG', 'LOCATION']);

export const countMaskedRows = (rows: readonly PackageRow[], detect: Detect): MaskedRows[] =>
  (['code', 'json', 'prose'] as const).map((kind) => {
    const rowsOfKind = rows.filter((row) => row.kind === kind);
    const masked = rowsOfKind.filter(({ text }) =>
      detect(text).some(({ category }) => NAMES.has(category)),
    );
    return { kind, rows: rowsOfKind.length, masked: masked.length };
  });
