import { toOneLine } from '../../prompt/to-one-line.ts';
import type { JsonError, JsonObject } from '@witan/dialects';

export type FieldDescriptions = Readonly<Record<string, string>>;

/**
 * Returns an error if an answer lacks requested fields, otherwise undefined. Null counts as
 * present. Must run before `popThoughts`, which removes a field `thoughts` that the caller may have
 * requested.
 */
export const checkFields = (
  object: JsonObject,
  fields: FieldDescriptions,
): JsonError | undefined => {
  const names = Object.keys(fields).filter(
    // `readJsonAnswer` removes `__proto__`, so a retry could not add that field.
    (name) => name !== '__proto__' && !Object.hasOwn(object, name),
  );
  return names.length === 0 ? undefined : { kind: 'missing-fields', names };
};

/** Requested shape of a JSON answer; without fields and schema, any JSON object is valid. */
type AnswerShape = {
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

/**
 * JSON answer split into its field `thoughts` and its other fields; `content` is `rest` as JSON
 * text.
 */
type PoppedThoughts = { thoughts: string; rest: JsonObject; content: string };

export const popThoughts = (object: JsonObject): PoppedThoughts => {
  const { thoughts, ...rest } = object;
  return { thoughts: toThoughts(thoughts), rest, content: JSON.stringify(rest) };
};

const toThoughts = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(toThoughts).join('\n');
  return JSON.stringify(value);
};
