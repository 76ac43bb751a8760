import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export type GoldSpan = { start: number; end: number; type: string };
export type Document = { id: string; corpus: string; text: string; spans: GoldSpan[] };
export type Prediction = { id: string; spans: readonly GoldSpan[] };

type Score = { f1: number };

type Evaluation = {
  docs: number;
  micro: { overlap: Score; exact: Score };
  leak_rate: number;
  false_mask_rate: number;
};

export type EvaluationData = {
  documents: readonly Document[];
  negatives: readonly Document[];
  evaluate: (
    documents: readonly Document[],
    predictions: ReadonlyMap<string, Prediction>,
    options?: { types?: readonly string[] },
  ) => Evaluation;
};

type Evaluate = (
  documents: readonly Document[],
  predictions: ReadonlyMap<string, Prediction>,
  options: object,
) => Evaluation;

/**
 * Reads the evaluation data and loads the evaluation function from the subfolder `pii`. Throws if a
 * file is missing.
 */
export async function readData(folder: string): Promise<EvaluationData> {
  const read = (name: string): string => readFileSync(`${folder}/pii/${name}`, 'utf8');
  const readRows = (name: string): Document[] =>
    read(name)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Document);
  const corpora = JSON.parse(read('corpora.json')) as unknown;
  const evaluation = (await import(pathToFileURL(`${folder}/pii/eval.mjs`).href)) as {
    evaluate: Evaluate;
  };
  return {
    documents: readRows('dev.jsonl'),
    negatives: readRows('negatives.jsonl'),
    evaluate: (documents, predictions, options = {}) =>
      evaluation.evaluate(documents, predictions, { corpora, ...options }),
  };
}

const README = new URL('../README.md', import.meta.url);

/** Replaces the lines between `<!-- name -->` and `<!-- /name -->` in the README. */
export const writeSection = (name: string, lines: readonly string[]): void => {
  const text = readFileSync(README, 'utf8');
  const open = `<!-- ${name} -->`;
  const start = text.indexOf(open);
  const end = text.indexOf(`<!-- /${name} -->`);
  if (start < 0 || end < start) throw new Error(`The README has no section ${name}.`);
  const body = `\n\n${lines.join('\n').trim()}\n\n`;
  writeFileSync(README, text.slice(0, start + open.length) + body + text.slice(end));
};
