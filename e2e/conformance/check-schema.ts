import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Schema } from './schema.ts';
import { isFields } from './to-fields.ts';

/** `unknown` says that members which the schema does not name are nobody's fault. */
export type SchemaLeniency = { readonly unknown?: 'allowed' };

const ajv = new Ajv2020({ allErrors: true, discriminator: true, strictTypes: false });

/**
 * Holds a body or an event to its schema. Answers what is wrong and where; nothing when it fits.
 * What a provider said and passes through may have members that nobody knows: those are let be
 * with `unknown: 'allowed'`, while what the schema names must still be right.
 */
export const checkSchema = (
  schema: Schema,
  value: unknown,
  { unknown }: SchemaLeniency = {},
): string[] => {
  const applied = unknown === 'allowed' ? withUnknown(schema) : schema;
  if (ajv.validate(applied, value)) return [];
  return (ajv.errors ?? []).map(({ instancePath, message, params }) => {
    const named = params['additionalProperty'] as string | undefined;
    return `${instancePath || 'the body'} ${message}${named === undefined ? '' : `: ${named}`}`;
  });
};

/** The schema, open at every depth. Kept: compiling a schema takes milliseconds. */
const withUnknown = (schema: Schema): Schema => {
  const known = opened.get(schema);
  if (known !== undefined) return known;
  const open = toOpen(schema) as Schema;
  opened.set(schema, open);
  return open;
};

const opened = new WeakMap<Schema, Schema>();

const toOpen = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toOpen);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, one]) => !(key === 'additionalProperties' && one === false),
  );
  return Object.fromEntries(kept.map(([key, one]) => [key, toOpen(one)]));
};
