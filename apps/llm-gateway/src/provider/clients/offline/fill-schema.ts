import type { JsonObject } from '@witan/dialects';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Writer } from './create-writer.ts';
import { samplesOf } from './samples-of.ts';

/** Position of a value: name, description, index in a list or else -1, and number of levels. */
type ValuePosition = { name: string; about: string; index: number; depth: number };
type Attempt = { root: JsonObject; writer: Writer; number: number; valuesLeft: number };

const ATTEMPTS = 6;
const VALUES_MAX = 2_000;
const LENGTH_MAX = 20_000;
/**
 * Number of levels on which optional properties are filled. Omitting deeper ones ends recursive
 * schemas.
 */
const OPTIONAL_DEPTH_MAX = 5;
const DEPTH_MAX = 32;
/**
 * Number of items of a list that must not be empty, unless its limits require another number; other
 * lists stay empty.
 */
const ITEMS = 3;

/** Reserved example names and addresses (RFC 2606), the epoch and the nil UUID. */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '1970-01-01T00:00:00Z',
  date: '1970-01-01',
  email: 'nobody@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-0000-0000-000000000000',
};

/**
 * Returns an instance of a JSON Schema with values from the writer; undefined if no attempt is
 * valid. Attempts choose different branches and types. In the first one, a value below the root is
 * null if it may be. A list that may be empty is empty, because nothing is known of it.
 */
export const fillSchema = (root: JsonObject, writer: Writer): unknown => {
  const isInstance = createCheck(root);
  for (let number = 0; isInstance && number < ATTEMPTS; number += 1) {
    const attempt = { root, writer, number, valuesLeft: VALUES_MAX };
    const value = fill(root, { name: '', about: '', index: -1, depth: 0 }, attempt);
    if (value !== undefined && isInstance(value)) return value;
  }
  return undefined;
};

/** Options of Ajv. It does not compile the meta-schema, because that would be slow. */
const CHECK = { meta: false, validateSchema: false, validateFormats: false, strict: false };

const createCheck = (schema: JsonObject) => {
  try {
    return new Ajv2020({ ...CHECK, logger: false }).compile(schema);
  } catch {
    return undefined; // A schema that is invalid or refers to others has no instance.
  }
};

const fill = (given: unknown, position: ValuePosition, attempt: Attempt): unknown => {
  if (given === false || position.depth > DEPTH_MAX) return undefined;
  const { anyOf, oneOf, ...schema } = merge(given, attempt);
  if (attempt.valuesLeft < 0) return undefined;
  const { enum: options, type = 'properties' in schema ? 'object' : 'string' } = schema;
  const { description } = schema;
  const about =
    typeof description === 'string'
      ? description
      : (attempt.writer.subjectOf(position.name) ?? (position.about || position.name));
  const here = { ...position, about, depth: position.depth + 1 };
  const choose = (list: readonly unknown[], first = 0): unknown =>
    list[(first + attempt.number) % list.length];
  const unions = [anyOf, oneOf].filter((branches) => Array.isArray(branches));
  const allowed = [type, options, unions.flat().map((branch) => Object(branch).type)].flat(2);
  const isNullable = allowed.includes('null') || allowed.includes(null);
  if (type === 'null' || (isNullable && attempt.number === 0 && position.depth > 0)) return null;
  if (unions.length > 0) {
    return fill({ allOf: [schema, ...unions.map((list) => choose(list))] }, here, attempt);
  }
  if (Object.hasOwn(schema, 'const')) return schema['const'];
  if (Array.isArray(options)) {
    if (isScale(options)) return options[toLevel(attempt.writer.lean(here.about), options.length)];
    const share = attempt.writer.chance(position.name + here.about);
    return choose(
      options,
      position.index < 0 ? Math.floor(share * options.length) : position.index,
    );
  }
  switch (choose([type].flat())) {
    case 'object':
      return fillObject(schema, here, attempt);
    case 'array':
      return fillArray(schema, here, attempt);
    case 'string':
      return fillString(schema, here, attempt.writer);
    case 'boolean':
      return schema['default'] ?? attempt.writer.lean(here.about) > 0;
    default:
      return fillNumber({ ...schema, type }, here, attempt.writer);
  }
};

/** Returns true for the levels of a stance, in order. */
const isScale = (options: readonly unknown[]): boolean =>
  options[0] === 'against' && options.at(-1) === 'for';

/** Converts a leaning from -1 to 1 to the index of one of `count` levels. */
const toLevel = (lean: number, count: number): number => Math.round(((lean + 1) / 2) * (count - 1));

const fillObject = (schema: JsonObject, position: ValuePosition, attempt: Attempt): unknown => {
  const { properties = {}, required, additionalProperties: others = true } = schema;
  const declared = properties as JsonObject;
  const needed = new Set(required as string[]);
  const optional = position.depth <= OPTIONAL_DEPTH_MAX ? Object.keys(declared) : [];
  const members: [string, unknown][] = [];
  for (const name of new Set([...optional, ...needed])) {
    const part = Object.hasOwn(declared, name) ? declared[name] : others;
    const value = fill(part, { ...position, name }, attempt);
    if (value !== undefined) members.push([name, value]);
    else if (needed.has(name)) return undefined;
  }
  return Object.fromEntries(members);
};

const fillArray = (schema: JsonObject, position: ValuePosition, attempt: Attempt): unknown => {
  const { prefixItems = [], items = true, minItems = 0, maxItems = Infinity } = schema;
  const count = minItems === 0 ? 0 : Math.min(Math.max(ITEMS, Number(minItems)), Number(maxItems));
  const filled = Array.from({ length: Math.min(count, VALUES_MAX) }, (_, index) =>
    fill((prefixItems as unknown[])[index] ?? items, { ...position, index }, attempt),
  );
  return filled.includes(undefined) ? undefined : filled;
};

const fillString = (schema: JsonObject, { name, index }: ValuePosition, writer: Writer) => {
  const { pattern, format, minLength = 0, maxLength = Infinity } = schema;
  const least = Math.min(Number(minLength), LENGTH_MAX);
  if (typeof pattern === 'string') return samplesOf(pattern).find(({ length }) => length >= least);
  const text = [...(FORMATS[String(format)] ?? writer.write(name, Math.max(0, index)))];
  const filler = '.'.repeat(Math.max(0, least - text.length));
  return [...text, ...filler].slice(0, Number(maxLength)).join('');
};

/**
 * Returns the default if there is one, because nothing is known that speaks for another number.
 * Otherwise chooses a number between the bounds by the persona's leaning; without two bounds it is
 * the allowed number nearest to 0.
 */
const fillNumber = (schema: JsonObject, { about }: ValuePosition, writer: Writer): number => {
  const read = (name: string, otherwise: number): number =>
    typeof schema[name] === 'number' ? schema[name] : otherwise;
  const low = read('minimum', read('exclusiveMinimum', -Infinity));
  const high = read('maximum', read('exclusiveMaximum', Infinity));
  const range = Number.isFinite(high - low) ? high - low : 0;
  const middle = range > 0 ? (low + high) / 2 : 0;
  const wanted = read('default', middle + (writer.lean(about) * range) / 2);
  const inside = Math.min(high, Math.max(low, wanted));
  if (wanted === schema['default'] && wanted === inside) return wanted;
  const unit = range > 0 ? 10 ** Math.floor(Math.log10(range / 100)) : 1;
  const step = read('multipleOf', schema['type'] === 'integer' ? 1 : unit);
  const edges = [schema['exclusiveMinimum'], schema['exclusiveMaximum']];
  // As validators check it: 0.3 is no multiple of 0.1 in binary.
  const isStep = (value: number) => !('multipleOf' in schema) || Number.isInteger(value / step);
  const isAllowed = (value: number) =>
    value >= low && value <= high && !edges.includes(value) && isStep(value);
  const nearest = [0, 1, -1, 2, -2].map((more) => (Math.round(inside / step) + more) * step);
  return nearest.map((value) => Number(value.toPrecision(12)) + 0).find(isAllowed) ?? inside;
};

/**
 * Merges `$ref` and `allOf` into a schema. If a rule is lost, instances that violate it fail the
 * validation at the end.
 */
const merge = (schema: unknown, attempt: Attempt): JsonObject => {
  attempt.valuesLeft -= 1;
  if (typeof schema !== 'object' || attempt.valuesLeft < 0) return {};
  const { $ref, allOf = [], ...own } = schema as JsonObject;
  const found = $ref === undefined ? [] : [findPart($ref, attempt.root)];
  return [...(allOf as unknown[]), ...found].reduce<JsonObject>((one, part) => {
    const other = merge(part, attempt);
    const required = [one['required'] ?? [], other['required'] ?? []].flat();
    const isObject = 'properties' in one || 'properties' in other;
    const properties = { ...Object(one['properties']), ...Object(other['properties']) } as object;
    return { ...one, ...other, required, ...(isObject && { properties }) };
  }, own);
};

/**
 * Returns the part of a schema that a JSON pointer without percent-encoding names, such as
 * `#/$defs/Name` (RFC 6901).
 */
const findPart = (pointer: unknown, root: JsonObject): unknown =>
  String(pointer)
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((found, key) => (found as JsonObject | undefined)?.[key], root);
