import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Fault } from '../errors/encode-native-error.ts';
import { ValidationError } from '../errors/validation-error.ts';
import type { JsonSchema } from './route.ts';

/** Faults listed of one request. */
const FAULTS_MAX = 50;

/** Checks a value against a schema; query values are coerced in place. Throws ValidationError. */
export type Validate = (value: unknown) => void;

const bodies = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
const queries = new Ajv2020({ allErrors: true, strict: true, coerceTypes: true });

/** A check of a JSON body. */
export const compileBody = (schema: JsonSchema): Validate => toValidate(bodies.compile(schema));

/** A check of parameters that come as text; unknown ones are refused. */
export const compileParameters = (schemas: Readonly<Record<string, JsonSchema>>): Validate =>
  toValidate(queries.compile({ type: 'object', properties: schemas, additionalProperties: false }));

const toValidate =
  (check: ValidateFunction): Validate =>
  (value) => {
    if (check(value)) return;
    throw new ValidationError((check.errors ?? []).slice(0, FAULTS_MAX).map(toFault));
  };

const toFault = (error: ErrorObject): Fault => {
  const path = toPath(error.instancePath);
  if (error.keyword === 'required') {
    const missing = String(error.params.missingProperty);
    return { path: path ? `${path}.${missing}` : missing, message: 'is required' };
  }
  if (error.keyword === 'enum') {
    const allowed = (error.params.allowedValues as unknown[]).join(', ');
    return { path, message: `must be one of ${allowed}` };
  }
  if (error.keyword === 'additionalProperties') {
    return { path: String(error.params.additionalProperty), message: 'is not known here' };
  }
  return { path, message: error.message ?? 'is not valid' };
};

/** `/messages/0/role` as clients write it: `messages[0].role`. */
const toPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, place) => (/^\d+$/.test(part) ? `[${part}]` : `${place > 0 ? '.' : ''}${part}`))
    .join('');
