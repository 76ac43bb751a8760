import { toOneLine } from '../../prompt/to-one-line.ts';
import type { FieldDescriptions } from './check-fields.ts';

/** Requested shape of a JSON answer; without fields and schema, any JSON object is valid. */
export type AnswerShape = {
  fields?: FieldDescriptions;
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

/**
 * Asks for the thoughts as the first field, because thoughts written after the other fields could
 * not influence them.
 */
const THOUGHTS =
  'Its first field is "thoughts", a text: reason there, step by step, before you fill in the rest.';

const describeFields = (fields: FieldDescriptions): string[] => {
  const required = Object.keys(fields);
  if (required.length === 0) return [];
  const properties = Object.entries(fields).map(([name, description]) => {
    const text = toOneLine(description).trim();
    return [name, text === '' ? {} : { description: text }];
  });
  const schema = { type: 'object', properties: Object.fromEntries(properties) as object, required };
  return ['The object has all of these fields:', JSON.stringify(schema)];
};
