import { readFileSync } from 'node:fs';
import type { AnswerSample } from '../vectors/message-answers.ts';

export function vectorText(name: string): string {
  return readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8');
}

export function answerSamples(dialect: AnswerSample['dialect']) {
  type Row = AnswerSample & { text: string; sha256: string };
  const rows = JSON.parse(vectorText('answers.json')) as Row[];
  return rows.filter((row) => row.dialect === dialect).map((row) => [row.name, row] as const);
}
