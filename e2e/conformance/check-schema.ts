import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Schema } from './schema.ts';
import { isJsonObject } from './json-object.ts';

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
  const appliedSchema = unknown === 'allowed' ? toOpenSchema(schema) : schema;
  if (ajv.validate(appliedSchema, value)) return [];
  return (ajv.errors ?? []).map(({ instancePath, message, params }) => {
    const unknownMember = params['additionalProperty'] as string | undefined;
    const suffix = unknownMember === undefined ? '' : `: ${unknownMember}`;
    return `${instancePath || 'the body'} ${message}${suffix}`;
  });
};

/**
 * Returns the schema with unknown members allowed at every depth. The result is cached, because
 * compiling a schema takes milliseconds.
 */
const toOpenSchema = (schema: Schema): Schema => {
  const cached = openSchemas.get(schema);
  if (cached !== undefined) return cached;
  const openSchema = allowUnknownMembers(schema) as Schema;
  openSchemas.set(schema, openSchema);
  return openSchema;
};

const openSchemas = new WeakMap<Schema, Schema>();

const allowUnknownMembers = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(allowUnknownMembers);
  if (!isJsonObject(value)) return value;
  const otherEntries = Object.entries(value).filter(
    ([key, one]) => !(key === 'additionalProperties' && one === false),
  );
  return Object.fromEntries(otherEntries.map(([key, one]) => [key, allowUnknownMembers(one)]));
};
