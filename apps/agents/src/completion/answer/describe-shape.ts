import { toOneLine } from '../../prompt/to-one-line.ts';
import { parseObject } from '@witan/dialects';
import type { JsonError, JsonObject, Prompt } from '@witan/dialects';

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

/**
 * Requested shape of a JSON answer; without fields and schema, any JSON object is valid. `schema`
 * is a JSON Schema or any other description.
 */
export type AnswerShape = { fields?: FieldDescriptions; schema?: string };

/**
 * Returns the instruction for an answer in JSON. It contains neither fields nor a JSON Schema,
 * because these are sent as `Prompt.wantsJson`.
 */
export const describeShape = (shape: AnswerShape, { hasThoughts = false } = {}): string =>
  [
    'Answer with one JSON object and nothing else: no text around it, no code fence, no comments.',
    ...(hasThoughts ? [THOUGHTS] : []),
    ...(isDescribed(shape) ? [`The object has this shape:\n${shape.schema!.trim()}`] : []),
  ].join('\n');

/**
 * Asks for the thoughts as the first field, because thoughts written after the other fields could
 * not influence them.
 */
const THOUGHTS =
  'Its first field is "thoughts", a text: reason there, step by step, before you fill in the rest.';

/**
 * Returns whether the prompt has to contain the schema, because it is not a JSON Schema of an
 * object, or because the schema of the fields is sent.
 */
const isDescribed = ({ fields = {}, schema = '' }: AnswerShape): boolean =>
  schema.trim() !== '' && (Object.keys(fields).length > 0 || parseSchema(schema) === undefined);

const parseSchema = (text: string): JsonObject | undefined => {
  const schema = parseObject(text);
  const isOfObject = schema?.['type'] === 'object' && typeof schema['properties'] === 'object';
  return isOfObject && schema['properties'] !== null ? schema : undefined;
};

/**
 * Returns the form in which the answer is requested: a JSON Schema, or true for any object. A shape
 * with fields and a schema gets the fields.
 */
export const toRequestedJson = (
  { fields = {}, schema = '' }: AnswerShape,
  { hasThoughts = false } = {},
): Exclude<Prompt['wantsJson'], false> => {
  const requested = Object.keys(fields).length > 0 ? toFieldSchema(fields) : parseSchema(schema);
  if (!requested) return true;
  if (!hasThoughts) return requested;
  const { properties, required, ...rest } = requested;
  return {
    ...rest,
    properties: { thoughts: { type: 'string' }, ...(properties as JsonObject) },
    required: ['thoughts', ...(Array.isArray(required) ? (required as unknown[]) : [])],
  };
};

/** All types but null, which runtimes that enforce a schema write for a value without a type. */
const VALUE_TYPES = ['string', 'number', 'boolean', 'array', 'object'];

const toFieldSchema = (fields: FieldDescriptions): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, description]) => {
      const text = toOneLine(description).trim();
      return [name, { type: VALUE_TYPES, ...(text === '' ? {} : { description: text }) }];
    }),
  ),
  required: Object.keys(fields),
});

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
