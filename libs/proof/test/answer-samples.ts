import type { AnswerSample } from '../vectors/message-answers.ts';
import { vectorText } from './vector-file.ts';

export function answerSamples(dialect: AnswerSample['dialect']) {
  type Row = AnswerSample & { text: string; sha256: string };
  const rows = JSON.parse(vectorText('answers.json')) as Row[];
  return rows.filter((row) => row.dialect === dialect).map((row) => [row.name, row] as const);
}
