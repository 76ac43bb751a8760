import { toOneLine } from '../prompt/to-one-line.ts';
import type { FieldMap } from './check-fields.ts';

/** What a JSON answer should look like; without fields and schema, any object. */
export type AnswerShape = {
  fields?: FieldMap;
  /** Free-form description, in place of fields (Seed 2.2). */
  schema?: string;
  /** The reasoning is wanted too, as a field of the object (Seed 4.1 rule 5). */
  hasThoughts: boolean;
};

/** The instruction that asks a model for JSON of a shape (Seed 4.1 rules 4 and 5). */
export const describeShape = ({ fields = {}, schema = '', hasThoughts }: AnswerShape): string =>
  [
    'Answer with one JSON object and nothing else: no text around it, no code fence, no comments.',
    ...(hasThoughts ? [THOUGHTS] : []),
    ...describeFields(fields),
    ...(schema.trim() === '' ? [] : [`The object has this shape:\n${schema.trim()}`]),
  ].join('\n');

/** First of all fields, because a model thinks in the order in which it writes. */
const THOUGHTS =
  'Its first field is "thoughts", a text: reason there, step by step, before you fill in the rest.';

const describeFields = (fields: FieldMap): string[] => {
  const lines = Object.entries(fields).map(([name, description]) => {
    const what = toOneLine(description).trim();
    return `- ${JSON.stringify(name)}${what === '' ? '' : `: ${what}`}`;
  });
  return lines.length === 0 ? [] : ['The object has all of these fields:', ...lines];
};
