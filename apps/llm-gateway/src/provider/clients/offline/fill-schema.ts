import { isDeepStrictEqual } from 'node:util';
import { fillNumber } from './fill-number.ts';
import { fillString } from './fill-string.ts';
import { isRecord } from './is-record.ts';
import { type CheckBudget, itemSchema, matchesSchema } from './matches-schema.ts';
import { resolveSchema, type Schema } from './resolve-schema.ts';
import type { Hint, ValueFinder } from './value-finder.ts';

const MAX_VALUES = 2_000;
const MAX_CHECKS = 200_000;
const MAX_DEPTH = 64;
const MAX_OPTIONS = 1_000;

/**
 * `optional` selects the optional properties to fill: all, or only those with evidence in the text.
 */
export type FillOptions = {
  readonly finder: ValueFinder;
  readonly optional: 'every' | 'evidenced';
};

type FillContext = FillOptions & {
  readonly root: unknown;
  readonly budget: CheckBudget;
  valuesLeft: number;
};

type Position = Hint & {
  readonly refs: readonly string[];
  readonly depth: number;
  /** True if the schema allows null, which is better than an invented value. */
  readonly isNullable?: boolean;
};

/**
 * Returns an instance of a JSON Schema with values from the finder, checked against the schema.
 * Supports types, `required`, `enum`, `const`, bounds, nested objects and arrays, `$ref`, `allOf`,
 * the first satisfiable branch of `anyOf` and `oneOf`, and `if`. Undefined if none is found within
 * 2,000 values and 64 levels. Recursive schemas end as early as possible.
 */
export function fillSchema(schema: unknown, options: FillOptions): unknown {
  const budget = { checksLeft: MAX_CHECKS };
  const context: FillContext = { ...options, root: schema, budget, valuesLeft: MAX_VALUES };
  const start = { name: '', description: '', ordinal: 0, isRequired: true, refs: [], depth: 0 };
  const value = fill(schema, start, context);
  return value !== undefined && matchesSchema(value, schema, schema, budget) ? value : undefined;
}

function fill(schema: unknown, position: Position, context: FillContext): unknown {
  context.valuesLeft -= 1;
  if (context.valuesLeft < 0 || position.depth > MAX_DEPTH) return undefined;
  const resolvedSchema = resolveSchema(schema, context.root, position.refs);
  if (resolvedSchema === undefined) return undefined;
  const { description } = resolvedSchema.schema;
  const here = {
    ...position,
    refs: resolvedSchema.refs,
    depth: position.depth + 1,
    description: typeof description === 'string' ? description : position.description,
  };
  return fillResolved(resolvedSchema.schema, here, context);
}

function fillResolved(schema: Schema, position: Position, context: FillContext): unknown {
  const { anyOf, oneOf, if: condition, then, else: otherwise, ...own } = schema;
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (branches !== undefined) {
    // If the schema has both keywords, the recursive call chooses the branch of `oneOf`.
    const rest = Array.isArray(anyOf)
      ? { ...schema, anyOf: undefined }
      : { ...schema, oneOf: undefined };
    return firstFilled(branches, rest, schema, position, context);
  }
  if (condition !== undefined) {
    return firstFilled([true, then ?? true, otherwise ?? true], own, schema, position, context);
  }
  if (Object.hasOwn(schema, 'const')) return schema['const'];
  if (Array.isArray(schema['enum'])) return fillEnum(schema['enum'], schema, position, context);
  const types = typesOf(schema);
  const here = { ...position, isNullable: position.isNullable === true || types.includes('null') };
  for (const type of types) {
    const value = fillType(type, schema, here, context);
    if (value !== undefined) return value;
  }
  return undefined;
}

function firstFilled(
  branches: readonly unknown[],
  rest: Schema,
  whole: Schema,
  position: Position,
  context: FillContext,
): unknown {
  const defined = Object.fromEntries(Object.entries(rest).filter(([, part]) => part !== undefined));
  const isNullable = branches.some((branch) => isRecord(branch) && branch['type'] === 'null');
  for (const branch of branches) {
    const value = fill({ allOf: [defined, branch] }, { ...position, isNullable }, context);
    if (value !== undefined && matchesSchema(value, whole, context.root, context.budget))
      return value;
  }
  return undefined;
}

function fillEnum(
  options: readonly unknown[],
  schema: Schema,
  position: Position,
  context: FillContext,
): unknown {
  const { enum: _listed, ...further } = schema;
  const allowed = options
    .slice(0, MAX_OPTIONS)
    .filter((option) => matchesSchema(option, further, context.root, context.budget));
  const named = context.finder.findNamed(allowed);
  if (named.length === 0 && !position.isRequired) return undefined;
  if (named.length === 0 && allowed.includes(null)) return null;
  const rest = allowed.filter((option) => !named.some((one) => isDeepStrictEqual(one, option)));
  const ordered = [...named, ...rest];
  return ordered[position.ordinal % Math.max(1, ordered.length)];
}

// Returns the types to try, `null` last. Without `type` they follow from the schema's keywords.
function typesOf(schema: Schema): string[] {
  const named = [schema['type'] ?? impliedType(schema)].flat();
  const types = named.filter((type) => typeof type === 'string');
  return types.toSorted((one, other) => Number(one === 'null') - Number(other === 'null'));
}

function impliedType(schema: Schema): string {
  const has = (...keywords: string[]): boolean =>
    keywords.some((key) => Object.hasOwn(schema, key));
  if (has('properties', 'required', 'additionalProperties', 'minProperties')) return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems')) return 'array';
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) {
    return 'number';
  }
  return 'string';
}

function fillType(type: string, schema: Schema, position: Position, context: FillContext): unknown {
  const scalar = { ...position, isRequired: position.isRequired && position.isNullable !== true };
  switch (type) {
    case 'object':
      return fillObject(schema, position, context);
    case 'array':
      return fillArray(schema, position, context);
    case 'string':
      return fillString(schema, scalar, context.finder);
    case 'number':
    case 'integer':
      return fillNumber(schema, type, scalar, context.finder);
    case 'boolean':
      return context.finder.findBoolean(position) ?? (scalar.isRequired ? false : undefined);
    case 'null':
      return position.isRequired ? null : undefined;
    default:
      return undefined;
  }
}

function fillObject(schema: Schema, position: Position, context: FillContext): unknown {
  const declared = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const maxCount = typeof schema['maxProperties'] === 'number' ? schema['maxProperties'] : Infinity;
  const undeclared = required.filter((key) => !Object.hasOwn(declared, key));
  const keys = [...Object.keys(declared), ...new Set(undeclared)];
  let optionalLeft = maxCount - new Set(required).size;
  const members: [string, unknown][] = [];
  for (const key of keys) {
    const isRequired = required.includes(key);
    if (!isRequired && optionalLeft <= 0) continue;
    const part = Object.hasOwn(declared, key) ? declared[key] : schema['additionalProperties'];
    const isNeeded = (isRequired || context.optional === 'every') && position.isRequired;
    const inside = memberPosition(key, isNeeded, position);
    const value = fill(part ?? true, inside, context);
    if (value === undefined && isRequired) return undefined;
    if (value === undefined) continue;
    members.push([key, value]);
    if (!isRequired) optionalLeft -= 1;
  }
  if (members.length === 0 && !position.isRequired) return undefined;
  return Object.fromEntries([
    ...members,
    ...extraMembers(members.length, schema, position, context),
  ]);
}

function memberPosition(
  name: string,
  isRequired: boolean,
  { refs, depth, ordinal }: Position,
): Position {
  return { name, description: '', ordinal, isRequired, refs, depth };
}

// Adds invented keys up to `minProperties`, if the schema allows any.
function extraMembers(
  count: number,
  schema: Schema,
  position: Position,
  context: FillContext,
): [string, unknown][] {
  const minCount = typeof schema['minProperties'] === 'number' ? schema['minProperties'] : 0;
  const members: [string, unknown][] = [];
  for (let index = count; index < Math.min(minCount, MAX_VALUES); index += 1) {
    const name = `field${index + 1}`;
    const value = fill(
      schema['additionalProperties'] ?? true,
      memberPosition(name, true, position),
      context,
    );
    if (value !== undefined) members.push([name, value]);
  }
  return members;
}

function fillArray(schema: Schema, position: Position, context: FillContext): unknown {
  const minCount = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0;
  const maxCount = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : Infinity;
  const itemCount = Math.min(
    Math.max(context.finder.countItems(position), minCount, tupleSize(schema)),
    maxCount,
  );
  const items: unknown[] = [];
  for (let index = 0; index < itemCount; index += 1) {
    const item = fill(
      itemSchema(schema, index),
      { ...position, ordinal: index, isRequired: true, isNullable: false },
      context,
    );
    if (item === undefined && items.length < minCount) return undefined;
    if (item === undefined) break;
    const isRepeated = items.some((earlier) => isDeepStrictEqual(earlier, item));
    if (schema['uniqueItems'] === true && isRepeated) break;
    items.push(item);
  }
  if (items.length === 0 && minCount === 0 && !position.isRequired) return undefined;
  return items.length >= minCount ? items : undefined;
}

function tupleSize({ prefixItems, items }: Schema): number {
  if (Array.isArray(prefixItems)) return prefixItems.length;
  return Array.isArray(items) ? items.length : 0;
}
