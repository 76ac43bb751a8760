import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Schema } from './schema.ts';
import { isFields } from './to-fields.ts';

/** `unknown: 'allowed'` permits members that the schema does not name. */
export type SchemaLeniency = { readonly unknown?: 'allowed' };

const ajv = new Ajv2020({ allErrors: true, discriminator: true, strictTypes: false });

/**
 * Validates a body or an event against `schema`. Returns one message per violation, with its path.
 * With `unknown: 'allowed'`, for provider output that is relayed, members that the schema does not
 * name are permitted; known members must still be valid.
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

/**
 * Returns the schema with unknown members allowed at every depth. The result is cached, because
 * compiling a schema takes milliseconds.
 */
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
  const ownMembers = Object.entries(value).filter(
    ([key, one]) => !(key === 'additionalProperties' && one === false),
  );
  return Object.fromEntries(ownMembers.map(([key, one]) => [key, toOpen(one)]));
};
