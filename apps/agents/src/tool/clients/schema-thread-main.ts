import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import { serveTasks } from '@witan/service-kit/tasks';
import { isDraft07 } from '../find-schema-error.ts';
import type { SchemaError } from '../tool.ts';
import { createRunWithin, isTimedOut } from './create-run-within.ts';

/**
 * Task for the thread. `schema` and `text` are JSON texts: `text` is validated against `schema`;
 * without `text`, the schema itself is checked.
 */
export type SchemaTask = { schema: string; text?: string };

export type SchemaReply = {
  schemaError?: SchemaError | undefined;
  violations?: string[] | undefined;
};

const COMPILE_MAX_MS = 5_000;
const CHECK_MAX_MS = 250;
const VIOLATIONS_MAX = 10;
const VIOLATION_LENGTH_MAX = 200;
/** Limit of the cache of compiled schemas: total length of their texts, in UTF-16 units. */
const CACHED_LENGTH_MAX = 512 * 1_024;

/**
 * Options for compiling customers' schemas. `format` is not validated, as in draft 2020-12; that is
 * left to the tools. Ajv's strict mode rejects unknown and ignored keywords; its checks of style
 * are off.
 */
const OPTIONS: Options = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  allowUnionTypes: true,
  allowMatchingProperties: true,
  allErrors: true,
  // Without this option, inherited properties such as `constructor` would count as present.
  ownProperties: true,
  validateFormats: false,
  // `findError` validates the schema itself, with validators that are compiled only once.
  validateSchema: false,
  // Inlining nested references could make the compiled code grow exponentially.
  inlineRefs: false,
  logger: false,
};

const runWithin = createRunWithin();

type Compiler = Ajv | Ajv2020;

const META_OPTIONS: Options = { strict: false, validateFormats: false, logger: false };
const draft07 = new Ajv(META_OPTIONS);
const draft2020 = new Ajv2020(META_OPTIONS);

/** Compiles a schema with a new compiler, so that schemas cannot refer to each other by id. */
const compile = (text: string): ValidateFunction => {
  const schema = JSON.parse(text) as Record<string, unknown>;
  const compiler: Compiler = isDraft07(schema) ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  return compiler.compile(schema);
};

const findError = (text: string): SchemaError | undefined => {
  const schema = JSON.parse(text) as Record<string, unknown>;
  const metaValidator: Compiler = isDraft07(schema) ? draft07 : draft2020;
  if (metaValidator.validateSchema(schema) !== true)
    return toSchemaError(metaValidator.errors ?? []);
  try {
    const check = runWithin(COMPILE_MAX_MS, () => compile(text));
    // Detects a schema that refers to itself endlessly: it fails with any arguments, so an empty
    // object suffices.
    runWithin(CHECK_MAX_MS, () => check({}));
    return undefined;
  } catch (error) {
    return { path: '', message: `cannot be used: ${describe(error)}` };
  }
};

/** Returns the error with the longest path, which is usually the closest to the cause. */
const toSchemaError = (errors: readonly ErrorObject[]): SchemaError => {
  const [deepest] = errors.toSorted((a, b) => b.instancePath.length - a.instancePath.length);
  const { instancePath = '', message = 'is not valid', params = {} } = deepest ?? {};
  const allowed = toAllowed(params);
  return { path: toPath(instancePath), message: allowed ?? message };
};

const describe = (error: unknown): string => {
  const { name, message } = error as Error;
  if (name === 'RangeError' || isTimedOut(error)) {
    return 'it leads to itself without end, or takes too long';
  }
  return truncate(message.replace(/^strict mode: /, ''));
};

const findViolations = (schema: string, text: string): string[] | undefined => {
  const value: unknown = JSON.parse(text);
  try {
    const check = memoize(schema, () => runWithin(COMPILE_MAX_MS, () => compile(schema)));
    if (runWithin(CHECK_MAX_MS, () => check(value))) return [];
    const errors = (check.errors ?? []).slice(0, VIOLATIONS_MAX);
    return [...new Set(errors.map(toViolation))];
  } catch {
    return undefined;
  }
};

const toViolation = ({ keyword, instancePath, params, message = 'is not valid' }: ErrorObject) => {
  const path = toPath(instancePath);
  const pathOf = (name: unknown): string => `${path === '' ? '' : `${path}.`}${String(name)}`;
  if (keyword === 'required') return truncate(`${pathOf(params.missingProperty)} is required`);
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const name = params.additionalProperty ?? params.unevaluatedProperty;
    return truncate(`${pathOf(name)} is not known`);
  }
  return truncate(`${path === '' ? 'the object' : path} ${toAllowed(params) ?? message}`);
};

const toAllowed = (params: Record<string, unknown>): string | undefined => {
  if ('allowedValues' in params)
    return truncate(`must be one of ${JSON.stringify(params.allowedValues)}`);
  return 'allowedValue' in params
    ? truncate(`must be ${JSON.stringify(params.allowedValue)}`)
    : undefined;
};

const truncate = (text: string): string =>
  (text.length > VIOLATION_LENGTH_MAX
    ? `${text.slice(0, VIOLATION_LENGTH_MAX)}…`
    : text
  ).toWellFormed();

/** Converts `/cities/0/name` to `cities[0].name`. */
const toPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`))
    .join('');

/** LRU cache of compiled schemas by schema text; the least recently used entry is first. */
const cached = new Map<string, ValidateFunction>();
let cachedLength = 0;

const memoize = (text: string, create: () => ValidateFunction): ValidateFunction => {
  const check = cached.get(text) ?? create();
  if (!cached.delete(text)) cachedLength += text.length;
  cached.set(text, check);
  for (const oldest of cached.keys()) {
    if (cachedLength <= CACHED_LENGTH_MAX) break;
    cached.delete(oldest);
    cachedLength -= oldest.length;
  }
  return check;
};

serveTasks(({ schema, text }: SchemaTask): SchemaReply =>
  text === undefined
    ? { schemaError: findError(schema) }
    : { violations: findViolations(schema, text) },
);
