import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export type GoldSpan = { start: number; end: number; type: string };
/** A labelled text of the evaluation data. */
export type Row = { id: string; corpus: string; lang: string; text: string; spans: GoldSpan[] };
export type Prediction = { id: string; spans: readonly GoldSpan[] };
/** The labelled types of each corpus. */
export type Corpora = Record<string, { types: string[] }>;

type Score = { p: number; r: number; f1: number };
type Scores = Record<'exact' | 'overlap', Score>;

export type Evaluation = {
  docs: number;
  micro: Scores;
  per_type: Record<string, Scores>;
  leak_rate: number;
  false_mask_rate: number;
};

type Options = { corpora: Corpora; types?: readonly string[] | undefined };

/**
 * Reads the evaluation data of a folder (dev.jsonl, negatives.jsonl, corpora.json) and loads its
 * evaluation function (eval.mjs). Throws if a file is missing.
 */
export async function readEvaluation(folder: string) {
  const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8');
  const readRows = (name: string): Row[] =>
    read(name)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
  const corpora = JSON.parse(read('corpora.json')) as Corpora;
  const { evaluate } = (await import(pathToFileURL(`${folder}/eval.mjs`).href)) as {
    evaluate: (
      rows: readonly Row[],
      predictions: ReadonlyMap<string, Prediction>,
      options: Options,
    ) => Evaluation;
  };
  return {
    corpora,
    rows: readRows('dev.jsonl'),
    negatives: readRows('negatives.jsonl'),
    /** Compares predictions with the labels of `rows`; `types` limits the compared types. */
    evaluate: (
      rows: readonly Row[],
      predictions: ReadonlyMap<string, Prediction>,
      types?: readonly string[],
    ): Evaluation => evaluate(rows, predictions, types ? { corpora, types } : { corpora }),
  };
}

export type EvaluationData = Awaited<ReturnType<typeof readEvaluation>>;

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
