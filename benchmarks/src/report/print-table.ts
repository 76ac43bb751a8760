export type Table = {
  title: string;
  headings: readonly string[];
  rows: readonly (readonly string[])[];
};

/** Prints a table; all columns but the first are right-aligned. */
export const printTable = (
  title: string,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void => {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  const text = [title, '', line(headings), rule, ...rows.map(line), ''].join('\n');
  process.stdout.write(`\n${text}\n`);
};
