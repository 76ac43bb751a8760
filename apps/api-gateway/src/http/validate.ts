import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { InvalidField } from '../errors/encode-native-error.ts';
import { ValidationError } from '../errors/validation-error.ts';
import { describeError } from './describe-error.ts';
import type { JsonSchema } from './route.ts';

/** Faults listed of one request. */
const INVALID_FIELDS_MAX = 50;

/** Checks a value against a schema; query values are coerced in place. Throws ValidationError. */
export type Validate = (value: unknown) => void;

/** `verbose`: errors come with the value, which says what is wrong with it. */
const shared = { strict: true, verbose: true } as const;
const bodies = new Ajv2020({ ...shared, allErrors: true, allowUnionTypes: true });
const queries = new Ajv2020({ ...shared, allErrors: true, coerceTypes: true });

/** Stops at the first fault: a large body may hold millions, and a dialect's error names one. */
const dialectBodies = new Ajv2020({ ...shared, allowUnionTypes: true });

/** A check of a JSON body whose unknown members are somebody's business: a dialect's. */
export const compileBody = (schema: JsonSchema): Validate =>
  toValidate(later(() => dialectBodies.compile(schema)));

/**
 * Checks a native body and answers where it holds fields that its schema does not know, to be
 * ignored; in a strict check they are faults. Throws ValidationError.
 */
export type ValidateNative = (body: unknown, options: { isStrict: boolean }) => string[];

/** A check of a native body: its top level and every object that is known inside of it. */
export const compileNativeBody = (schema: JsonSchema): ValidateNative => {
  const compiled = later(() => bodies.compile(closeObjects(schema)));
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
 * The schema with every object closed that lists its properties and does not say who else may come.
 * Choices (`anyOf` and the like) stay open: a field that no branch knows would fail all of them.
 */
const closeObjects = (schema: JsonSchema): JsonSchema => {
  const { properties, items, additionalProperties = false } = schema;
  return {
    ...schema,
    ...(isSchema(items) ? { items: closeObjects(items) } : {}),
    ...(isSchema(properties) ? { properties: closeEach(properties), additionalProperties } : {}),
    ...(isSchema(additionalProperties)
      ? { additionalProperties: closeObjects(additionalProperties) }
      : {}),
  };
};

const closeEach = (properties: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isSchema(schema) ? closeObjects(schema) : schema,
    ]),
  );

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A check of parameters that come as text; unknown ones are refused unless they are `open`. */
export const compileParameters = (
  schemas: Readonly<Record<string, JsonSchema>>,
  { open = false }: { open?: boolean } = {},
): Validate =>
  toValidate(
    later(() =>
      queries.compile({ type: 'object', properties: schemas, additionalProperties: open }),
    ),
  );

/**
 * Compiled by the first call that needs it: all routes together take a third of a second of CPU,
 * which a start would wait for.
 */
const later = (compile: () => ValidateFunction): (() => ValidateFunction) => {
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
  // What is wrong with the name of a member has been said by the error before.
  const reported = errors.filter(({ keyword }) => keyword !== 'propertyNames');
  return new ValidationError(reported.slice(0, INVALID_FIELDS_MAX).map(toInvalidField));
};

/** The member that an error is about when it is none that is there. */
const MEMBER: Readonly<Record<string, string>> = {
  additionalProperties: 'additionalProperty',
  required: 'missingProperty',
};

const toInvalidField = (error: ErrorObject): InvalidField => {
  const above = toPath(error.instancePath);
  const param = MEMBER[error.keyword];
  const member = param === undefined ? '' : String(error.params[param]);
  const path = above && member ? `${above}.${member}` : above || member;
  return { path, message: describeError(error) };
};

/** `/messages/0/role` as clients write it: `messages[0].role`. */
const toPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`))
    .join('');
