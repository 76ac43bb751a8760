/**
 * Writes the term counts on which the convergence score is based: `node
 * apps/agents/training/count-words.ts FOLDER`. FOLDER contains the State of the Union addresses as
 * files `<year>_<president>.txt`, as in `data/` of stdlib-js/datasets-sotu. The output is
 * deterministic. Only addresses since 1900 are counted, because words that are rare today are
 * common in older ones.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { splitTerms } from '../src/debate/convergence/similarity/split-terms.ts';

const OUTPUT_FILE = new URL(
  '../src/debate/convergence/similarity/document-counts.ts',
  import.meta.url,
);
const FIRST_YEAR = 1900;
/** Number of words per block, as many as an agent's typical statement has. */
const BLOCK_WORDS = 60;
/** Smallest number of blocks in which a term must occur to be included. */
const LEAST_COUNT = 20;
const COLUMNS = 98;

const folder = process.argv[2];
if (!folder) throw new Error('Name the folder of the texts.');

const texts = readdirSync(folder)
  .filter((name) => name.endsWith('.txt') && Number(name.slice(0, 4)) >= FIRST_YEAR)
  .toSorted()
  .map((name) => readFileSync(join(folder, name), 'utf8').split(/\s+/));
const blocks = texts.flatMap((words) =>
  Array.from({ length: Math.ceil(words.length / BLOCK_WORDS) }, (_, index) =>
    words.slice(index * BLOCK_WORDS, (index + 1) * BLOCK_WORDS).join(' '),
  ),
);
const counts = new Map<string, number>();
for (const block of blocks) {
  for (const term of new Set(splitTerms(block).terms))
    counts.set(term, (counts.get(term) ?? 0) + 1);
}
const groups = Map.groupBy(
  [...counts].filter(([, count]) => count >= LEAST_COUNT).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ([, count]) => count,
);
const lines = [...groups]
  .toSorted(([a], [b]) => b - a)
  .flatMap(([count, rows]) => [`${count}:`, ...rows.map(([term]) => term)])
  .reduce<string[]>((done, word) => {
    const last = done.at(-1);
    if (last === undefined || last.length + word.length + 1 > COLUMNS) return [...done, word];
    return [...done.slice(0, -1), `${last} ${word}`];
  }, [])
  .join('\n');
const years = `${FIRST_YEAR} to 2021`;
writeFileSync(
  OUTPUT_FILE,
  `// Written by apps/agents/training/count-words.ts; do not edit.

/** Number of blocks of 60 words in ${texts.length} State of the Union addresses, ${years}. */
export const BLOCK_COUNT = ${blocks.length};

/**
 * Number of blocks that contain a term of \`splitTerms\`, for terms in ${LEAST_COUNT} or more:
 * each count precedes its terms. The addresses are works of the United States Government, in the
 * public domain; counted from stdlib-js/datasets-sotu@3fe128b (PDDL-1.0, contents CC0-1.0).
 */
export const DOCUMENT_COUNTS = \`
${lines}
\`;
`,
);
console.log(`${blocks.length} blocks, ${[...groups].reduce((n, [, r]) => n + r.length, 0)} terms`);
