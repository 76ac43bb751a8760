import { toOneLine } from '../prompt/to-one-line.ts';
import type { FieldMap } from './check-fields.ts';

/** Without fields and schema, any JSON object. */
export type AnswerShape = {
  fields?: FieldMap;
  schema?: string;
  hasThoughts: boolean;
};

export const describeShape = ({ fields = {}, schema = '', hasThoughts }: AnswerShape): string =>
  [
    'Answer with one JSON object and nothing else: no text around it, no code fence, no comments.',
    ...(hasThoughts ? [THOUGHTS] : []),
    ...describeFields(fields),
    ...(schema.trim() === '' ? [] : [`The object has this shape:\n${schema.trim()}`]),
  ].join('\n');

/** Must be the first field: a model reasons in the order in which it writes. */
const THOUGHTS =
  'Its first field is "thoughts", a text: reason there, step by step, before you fill in the rest.';

const describeFields = (fields: FieldMap): string[] => {
  const lines = Object.entries(fields).map(([name, description]) => {
    const what = toOneLine(description).trim();
    return `- ${JSON.stringify(name)}${what === '' ? '' : `: ${what}`}`;
  });
  return lines.length === 0 ? [] : ['The object has all of these fields:', ...lines];
};
