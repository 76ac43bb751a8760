import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { InvalidField } from './encode-native-error.ts';
import { ValidationError } from './encode-native-error.ts';
import { describeError } from './describe-error.ts';
import type { JsonSchema, Route } from './route.ts';

const INVALID_FIELDS_MAX = 50;

/**
 * Throws ValidationError if the value does not match the schema. Path and query parameters are
 * converted to the schema's types in place; bodies are not.
 */
export type Validate = (value: unknown) => void;

const shared = { strict: true, verbose: true } as const;
const nativeBodies = new Ajv2020({ ...shared, allErrors: true, allowUnionTypes: true });
const queries = new Ajv2020({ ...shared, allErrors: true, coerceTypes: true });

/**
 * Stops at the first error, because a large body may have millions of errors and a dialect's error
 * format names only one.
 */
const dialectBodies = new Ajv2020({ ...shared, allowUnionTypes: true });

export const compileBody = (schema: JsonSchema): Validate =>
  toValidate(compileLazily(() => dialectBodies.compile(schema)));

/**
 * Returns the paths of unknown fields of a native body. Throws ValidationError if the body does not
 * match the schema; with `isStrict` also for unknown fields.
 */
export type ValidateNative = (body: unknown, options: { isStrict: boolean }) => string[];

export const compileNativeBody = (schema: JsonSchema): ValidateNative => {
  const compiled = compileLazily(() => nativeBodies.compile(closeObjects(schema)));
  return (body, { isStrict }) => {
    const check = compiled();
    if (check(body)) return [];
    const errors = check.errors ?? [];
    const unknown = errors.filter(isUnknownField);
    const invalidFields = isStrict ? errors : errors.filter((error) => !isUnknownField(error));
    if (invalidFields.length > 0) throw toValidationError(invalidFields);
    return unknown.map((error) => toInvalidField(error).path);
  };
};

const isUnknownField = ({ keyword }: ErrorObject): boolean => keyword === 'additionalProperties';

/**
 * Returns the schema with `additionalProperties: false` in every object that lists its properties
 * and does not set that keyword. Alternatives such as `anyOf` are unchanged, because a field that
 * only one branch knows would fail the others.
 */
const closeObjects = (schema: JsonSchema): JsonSchema => {
  const { properties, items, additionalProperties = false } = schema;
  return {
    ...schema,
    ...(isSchema(items) ? { items: closeObjects(items) } : {}),
    ...(isSchema(properties)
      ? { properties: closeAllSchemas(properties), additionalProperties }
      : {}),
    ...(isSchema(additionalProperties)
      ? { additionalProperties: closeObjects(additionalProperties) }
      : {}),
  };
};

const closeAllSchemas = (properties: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isSchema(schema) ? closeObjects(schema) : schema,
    ]),
  );

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type RouteChecks = { query: Validate; body: ValidateNative | undefined };

/**
 * Compiles the validation of a route's query and body. On dialect routes unknown query parameters
 * and members are allowed: parameters that only the provider knows, such as `beta`, are sent, and
 * members are passed on to it.
 */
export const compileRoute = ({ surface, query, body }: Route): RouteChecks => {
  const isNative = surface === 'native';
  return {
    query: compileParameters(query ?? {}, { allowUnknown: !isNative }),
    body: body && (isNative ? compileNativeBody(body) : ignoringNothing(compileBody(body))),
  };
};

const ignoringNothing =
  (check: Validate): ValidateNative =>
  (body) => {
    check(body);
    return [];
  };

export const compileParameters = (
  schemas: Readonly<Record<string, JsonSchema>>,
  { allowUnknown = false }: { allowUnknown?: boolean } = {},
): Validate => {
  if (allowUnknown && Object.keys(schemas).length === 0) return () => {};
  const schema = { type: 'object', properties: schemas, additionalProperties: allowUnknown };
  return toValidate(compileLazily(() => queries.compile(schema)));
};

/**
 * Compiles a schema on first use, because compiling those of all routes at start would take a third
 * of a second of CPU.
 */
const compileLazily = (compile: () => ValidateFunction): (() => ValidateFunction) => {
  let check: ValidateFunction | undefined;
  return () => (check ??= compile());
};

const toValidate =
  (compiled: () => ValidateFunction): Validate =>
  (value) => {
    const check = compiled();
    if (check(value)) return;
    throw toValidationError(check.errors ?? []);
  };

const toValidationError = (errors: readonly ErrorObject[]): ValidationError => {
  // A `propertyNames` error is omitted, because the error before it describes the invalid name.
  const reported = errors.filter(({ keyword }) => keyword !== 'propertyNames');
  return new ValidationError(reported.slice(0, INVALID_FIELDS_MAX).map(toInvalidField));
};

/**
 * Error parameter that names the member, for errors about a missing or unknown member, whose path
 * is that of the parent.
 */
const MEMBER_PARAMS: Readonly<Record<string, string>> = {
  additionalProperties: 'additionalProperty',
  required: 'missingProperty',
};

const toInvalidField = (error: ErrorObject): InvalidField => {
  const parentPath = toPath(error.instancePath);
  const param = MEMBER_PARAMS[error.keyword];
  const member = param === undefined ? '' : String(error.params[param]);
  const path = parentPath && member ? `${parentPath}.${member}` : parentPath || member;
  return { path, message: describeError(error) };
};

const toPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`))
    .join('');
