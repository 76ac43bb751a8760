import { isDeepStrictEqual } from 'node:util';
import { isSampleOf } from './fill-string.ts';
import { isRecord } from './is-record.ts';
import { findReferenced, type Schema } from './resolve-schema.ts';

const MAX_CHECKS = 200_000;
const MAX_DEPTH = 256;

export type CheckBudget = { checksLeft: number };

type Check = { readonly root: unknown; readonly budget: CheckBudget; depth: number };

/**
 * Returns whether `value` is an instance of `schema` (JSON Schema 2020-12, and the array `items` of
 * draft 7); references are resolved in `root`. `format` is only an annotation, the default of the
 * standard. A `pattern` is never run: only texts that `samplePattern` builds for it match. Returns
 * false if the result is unknown: dangling references, or an exhausted `budget` (200,000 checks).
 */
export function matchesSchema(
  value: unknown,
  schema: unknown,
  root: unknown,
  budget: CheckBudget = { checksLeft: MAX_CHECKS },
): boolean {
  return matches(value, schema, { root, budget, depth: 0 });
}

function matches(value: unknown, schema: unknown, check: Check): boolean {
  check.budget.checksLeft -= costOf(schema);
  if (check.budget.checksLeft < 0 || check.depth > MAX_DEPTH) return false;
  if (!isRecord(schema)) return schema !== false;
  check.depth += 1;
  const isMatch =
    matchesReference(value, schema, check) &&
    matchesConstants(value, schema) &&
    matchesCombinations(value, schema, check) &&
    matchesKind(value, schema, check);
  check.depth -= 1;
  return isMatch;
}

// Returns the cost of one check against a schema, in units of the budget: enumerations and patterns
// cost as much as their length.
function costOf(schema: unknown): number {
  if (!isRecord(schema)) return 1;
  const { enum: allowed, pattern } = schema;
  const length = Array.isArray(allowed) ? allowed.length : 0;
  return 1 + length + (typeof pattern === 'string' ? pattern.length : 0);
}

function matchesReference(value: unknown, { $ref }: Schema, check: Check): boolean {
  if (typeof $ref !== 'string') return true;
  const target = findReferenced(check.root, $ref);
  return target !== undefined && matches(value, target, check);
}

function matchesConstants(value: unknown, schema: Schema): boolean {
  const { enum: allowed, type } = schema;
  if (Object.hasOwn(schema, 'const') && !isDeepStrictEqual(value, schema['const'])) return false;
  if (Array.isArray(allowed) && !allowed.some((one) => isDeepStrictEqual(one, value))) return false;
  return type === undefined || [type].flat().some((name) => isOfType(value, name));
}

function isOfType(value: unknown, name: unknown): boolean {
  if (name === 'null') return value === null;
  if (name === 'array') return Array.isArray(value);
  if (name === 'object') return isRecord(value);
  return name === 'integer' ? Number.isInteger(value) : typeof value === name;
}

function matchesCombinations(value: unknown, schema: Schema, check: Check): boolean {
  const { allOf, anyOf, oneOf, not } = schema;
  const matchesPart = (part: unknown): boolean => matches(value, part, check);
  if (Array.isArray(allOf) && !allOf.every(matchesPart)) return false;
  if (Array.isArray(anyOf) && !anyOf.some(matchesPart)) return false;
  if (Array.isArray(oneOf) && oneOf.filter(matchesPart).length !== 1) return false;
  if (not !== undefined && matchesPart(not)) return false;
  if (schema['if'] === undefined) return true;
  return matchesPart((matchesPart(schema['if']) ? schema['then'] : schema['else']) ?? true);
}

function matchesKind(value: unknown, schema: Schema, check: Check): boolean {
  if (typeof value === 'number') return matchesNumber(value, schema);
  if (typeof value === 'string') return matchesString(value, schema);
  if (Array.isArray(value)) return matchesArray(value, schema, check);
  return isRecord(value) ? matchesObject(value, schema, check) : true;
}

export function matchesNumber(value: number, schema: Schema): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === 'number' && value < minimum) return false;
  if (typeof maximum === 'number' && value > maximum) return false;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return false;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return false;
  return typeof multipleOf !== 'number' || Number.isInteger(value / multipleOf);
}

function matchesString(value: string, schema: Schema): boolean {
  const { pattern } = schema;
  if (!isWithin([...value].length, schema['minLength'], schema['maxLength'])) return false;
  return typeof pattern !== 'string' || isSampleOf(pattern, value);
}

function isWithin(size: number, minimum: unknown, maximum: unknown): boolean {
  if (typeof minimum === 'number' && size < minimum) return false;
  return typeof maximum !== 'number' || size <= maximum;
}

function matchesArray(value: readonly unknown[], schema: Schema, check: Check): boolean {
  const { contains, minContains = 1, maxContains, uniqueItems } = schema;
  if (!isWithin(value.length, schema['minItems'], schema['maxItems'])) return false;
  if (uniqueItems === true && hasRepeated(value)) return false;
  if (!value.every((item, index) => matches(item, itemSchema(schema, index), check))) return false;
  if (contains === undefined) return true;
  const found = value.filter((item) => matches(item, contains, check)).length;
  return isWithin(found, minContains, maxContains);
}

/**
 * Returns the schema of the item at `index`, from `prefixItems` or draft 7's list of `items`, then
 * from the schema of the rest.
 */
export function itemSchema(schema: Schema, index: number): unknown {
  const { items, prefixItems, additionalItems } = schema;
  if (Array.isArray(items)) return index < items.length ? items[index] : (additionalItems ?? true);
  if (Array.isArray(prefixItems) && index < prefixItems.length) return prefixItems[index];
  return items ?? true;
}

function hasRepeated(items: readonly unknown[]): boolean {
  return items.some((item, index) =>
    items.slice(0, index).some((earlier) => isDeepStrictEqual(earlier, item)),
  );
}

function matchesObject(value: Schema, schema: Schema, check: Check): boolean {
  const { required, dependentRequired } = schema;
  const keys = Object.keys(value);
  const has = (key: unknown): boolean => Object.hasOwn(value, String(key));
  if (!isWithin(keys.length, schema['minProperties'], schema['maxProperties'])) return false;
  if (Array.isArray(required) && !required.every(has)) return false;
  for (const [key, needed] of Object.entries(
    isRecord(dependentRequired) ? dependentRequired : {},
  )) {
    if (has(key) && Array.isArray(needed) && !needed.every(has)) return false;
  }
  return keys.every((key) => matches(value[key], propertySchema(schema, key), check));
}

// Returns the schema of a property. `patternProperties` are not run, so a schema that has them
// rejects keys outside `properties`.
function propertySchema(schema: Schema, key: string): unknown {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isRecord(properties) && Object.hasOwn(properties, key)) return properties[key];
  return patternProperties === undefined ? (additionalProperties ?? true) : false;
}
