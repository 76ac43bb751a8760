import { isDeepStrictEqual } from 'node:util';
import { isRecord } from './is-record.ts';

export type Schema = Readonly<Record<string, unknown>>;

export type ResolvedSchema = { readonly schema: Schema; readonly refs: readonly string[] };

const MAX_PARTS = 64;
const MAX_OPTIONS = 1_000;

/**
 * Returns `schema` with its `$ref` and `allOf` parts merged in. Undefined for a dangling reference,
 * a reference that is already in `refs`, or a part that is `false`.
 *
 * A reference never needs to be re-entered: if a schema has a finite instance, it has one in which
 * no reference contains itself, because the inner instance can replace the outer one.
 */
export function resolveSchema(
  schema: unknown,
  root: unknown,
  refs: readonly string[],
): ResolvedSchema | undefined {
  const queue: { schema: unknown; refs: readonly string[] }[] = [{ schema, refs }];
  let merged: Schema = {};
  let entered = refs;
  for (let parts = 0; queue.length > 0; parts += 1) {
    const part = queue.shift();
    if (part === undefined || part.schema === false || parts > MAX_PARTS) return undefined;
    if (!isRecord(part.schema)) continue;
    const { $ref, allOf, ...own } = part.schema;
    merged = mergeSchemas(merged, own);
    if (Array.isArray(allOf)) {
      queue.push(...allOf.slice(0, MAX_PARTS).map((inner) => ({ ...part, schema: inner })));
    }
    if ($ref === undefined) continue;
    if (typeof $ref !== 'string' || part.refs.includes($ref)) return undefined;
    const target = findReferenced(root, $ref);
    if (target === undefined) return undefined;
    queue.push({ schema: target, refs: [...part.refs, $ref] });
    entered = [...entered, $ref];
  }
  return { schema: merged, refs: entered };
}

/** Returns the schema that a JSON pointer fragment (`#/$defs/Name`, RFC 6901) names in `root`. */
export function findReferenced(root: unknown, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decodeFragment(part).replaceAll('~1', '/').replaceAll('~0', '~');
    const holder = isRecord(found) || Array.isArray(found) ? found : {};
    found = Object.hasOwn(holder, key) ? (holder as Record<string, unknown>)[key] : undefined;
  }
  return found;
}

function decodeFragment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A bare percent sign is literal.
  }
}

// Rules for merging two schemas. Keywords not listed here are taken from the later schema; the
// finished instance is checked against the original schema, so a lost constraint cannot pass.
const LARGEST = new Set([
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'minProperties',
  'minContains',
]);
const SMALLEST = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

function mergeSchemas(one: Schema, other: Schema): Schema {
  const merged: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    merged[key] = Object.hasOwn(one, key) ? mergeKeyword(key, one[key], value) : value;
  }
  return merged;
}

function mergeKeyword(key: string, one: unknown, other: unknown): unknown {
  if (LARGEST.has(key)) return Math.max(Number(one), Number(other));
  if (SMALLEST.has(key)) return Math.min(Number(one), Number(other));
  if (key === 'items') return { allOf: [one, other] };
  if (key === 'additionalProperties') return one === false ? false : other;
  if (key === 'properties' && isRecord(one) && isRecord(other)) return mergeMaps(one, other);
  if (key === 'required' && Array.isArray(one) && Array.isArray(other)) {
    return [...new Set([...one, ...other])];
  }
  if (key === 'enum' && Array.isArray(one) && Array.isArray(other)) {
    const allowed = other.slice(0, MAX_OPTIONS);
    return one
      .slice(0, MAX_OPTIONS)
      .filter((item) => allowed.some((option) => isDeepStrictEqual(item, option)));
  }
  return key === 'type' ? mergeTypes(one, other) : other;
}

function mergeMaps(one: Schema, other: Schema): Schema {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(
    keys.map((key) => {
      if (!Object.hasOwn(one, key)) return [key, other[key]];
      return [key, Object.hasOwn(other, key) ? { allOf: [one[key], other[key]] } : one[key]];
    }),
  );
}

function mergeTypes(one: unknown, other: unknown): unknown[] {
  const names = [one].flat();
  const allowed = [other].flat();
  if (names.includes('number') && allowed.includes('integer')) names.push('integer');
  if (allowed.includes('number')) allowed.push('integer');
  return names.filter((name) => allowed.includes(name));
}
