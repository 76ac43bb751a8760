import { isMessage } from '@bufbuild/protobuf';
import { timestampDate, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { parseExactly } from '@witan/dialects';
import type { JsonSchema, RouteCall } from './route.ts';
import type { Static } from './schema.ts';

export type ObjectSchema = JsonSchema & { readonly properties: object };

type Required<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T];

/** Members that have another name in messages. */
const MESSAGE_NAMES: Readonly<Record<string, string>> = { proofs: 'proofIds' };

type MissingMembers<S, M> = Exclude<
  Required<Static<S>>,
  keyof M | ('proofIds' extends keyof M ? 'proofs' : never)
> &
  keyof Static<S>;

/** Members that replace those of a message; required for those that the message does not have. */
type Computed<S, M> = Partial<Static<S>> & Pick<Static<S>, MissingMembers<S, M>>;

/** Lets a call compile only if the message has all required members of the schema. */
export type CompleteMessage<S, M> = [MissingMembers<S, M>] extends [never]
  ? unknown
  : Pick<Static<S>, MissingMembers<S, M>>;

type ComputedArguments<S, M> =
  {} extends Computed<S, M> ? [computed?: Computed<S, M>] : [computed: Computed<S, M>];

/**
 * Returns the members of a closed schema with their values from a message: a time in ISO 8601, a
 * 64-bit integer as a number, the JSON text of an object as that object, and null for an empty or
 * absent member that may be null. Optional members are omitted if they are empty, false, null or
 * absent. `proofs` is the message's `proofIds`. Members in `computed` are returned unchanged.
 * Throws if a required member is absent.
 */
export const encodeAs = <const S extends ObjectSchema, M extends object>(
  schema: S,
  message: M,
  ...[computed]: ComputedArguments<S, M>
): Static<S> => encodeObject(schema, message, computed ?? {}) as Static<S>;

const encodeObject = (schema: JsonSchema, message: object, computed: object): object => {
  const required = new Set(schema.required as readonly string[]);
  const encoded: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties as Record<string, JsonSchema>)) {
    if (Object.hasOwn(computed, name)) {
      encoded[name] = computed[name as keyof object];
      continue;
    }
    const value = encodeValue(member, readMember(message, name));
    const isEmpty = value == null || value === '' || value === false;
    if (isEmpty && !required.has(name)) continue;
    if (value === undefined) throw new Error(`The message has no member ${name}`);
    encoded[name] = value;
  }
  return encoded;
};

const readMember = (message: object, name: string): unknown =>
  message[(name in message ? name : (MESSAGE_NAMES[name] ?? name)) as keyof object];

const encodeValue = (schema: JsonSchema, value: unknown): unknown => {
  if (typeof value === 'string' && schema.type === 'object') return parseExactly(value || '{}');
  if (value === undefined || value === '') return allowsNull(schema) ? null : value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isMessage(value, TimestampSchema)) return timestampDate(value).toISOString();
  if (value instanceof Date) return value.toISOString();
  const { items, properties } = schema;
  if (Array.isArray(value) && items) {
    return value.map((item) => encodeValue(items as JsonSchema, item));
  }
  return properties ? encodeObject(schema, value, {}) : value;
};

const allowsNull = ({ type, enum: values, anyOf }: JsonSchema): boolean =>
  [type].flat().includes('null') ||
  (Array.isArray(values) && values.includes(null)) ||
  (Array.isArray(anyOf) && anyOf.some(allowsNull));

/**
 * Returns the JSON text of a member of the body, with its numbers as the client wrote them, or
 * undefined if the member is absent. It parses the text again, because the parsed body has lost
 * digits that a double cannot represent.
 */
export const readObjectText = (
  { body, text }: Pick<RouteCall, 'body' | 'text'>,
  name: string,
): string | undefined => {
  if (body[name] === undefined) return undefined;
  const exactObject = parseExactly(text) as Record<string, unknown>;
  return JSON.stringify(exactObject[name]);
};
