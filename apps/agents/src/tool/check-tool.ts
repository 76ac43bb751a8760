import { invalidRequest, isServiceError } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import { isTooDeep } from '@witan/dialects';
import { checkText } from '../agent/agent.ts';
import { findSchemaError } from './find-schema-error.ts';
import type { SchemaCaller, SchemaError, SchemaValidator } from './tool.ts';
import type { ToolChange } from './tool.ts';

/** Pattern of tool names that both wire dialects accept as function names. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
export const DESCRIPTION_LENGTH_MAX = 4_000;
/** Maximum length of a schema's JSON text in UTF-16 units, because every model call contains it. */
const PARAMETERS_LENGTH_MAX = 16_384;
export const JSON_DEPTH_MAX = 64;

type CheckContext = SchemaCaller & { validator: Pick<SchemaValidator, 'findError'> };

/** Throws one INVALID_REQUEST that describes every invalid member; its `param` is the first. */
export const checkTool = async (
  { name, description, parameters }: ToolChange,
  context: CheckContext,
): Promise<void> => {
  const errors = [
    await findRefusal(() => name !== undefined && checkName(name)),
    await findRefusal(() => description !== undefined && checkDescription(description)),
    await findRefusal(() => parameters !== undefined && checkParameters(parameters, context)),
  ].filter((error) => error !== undefined);
  const [first] = errors;
  if (!first) return;
  throw invalidRequest(errors.map(({ message }) => message).join(' '), first.fields);
};

const findRefusal = async (check: () => unknown): Promise<ServiceError | undefined> => {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (isServiceError(error) && error.reason === 'INVALID_REQUEST') return error;
    throw error;
  }
};

const checkName = (name: string): void => {
  if (NAME.test(name)) return;
  const message = 'name must be 1 to 64 letters, digits and underscores of ASCII, no digit first.';
  throw invalidRequest(message, { param: 'name' });
};

const checkDescription = (text: string): void => {
  if (text.trim() === '') {
    throw invalidRequest('description is empty; models choose by it.', { param: 'description' });
  }
  checkText(text, { param: 'description', max: DESCRIPTION_LENGTH_MAX });
};

/**
 * Throws INVALID_REQUEST if the text is no valid schema, with the path of the error, such as
 * `parameters.properties.city.type`.
 */
const checkParameters = async (
  text: string,
  { validator, ...schemaCaller }: CheckContext,
): Promise<void> => {
  if (text.length > PARAMETERS_LENGTH_MAX) {
    throw refusal({ path: '', message: `is longer than ${PARAMETERS_LENGTH_MAX} characters` });
  }
  if (isTooDeep(text, JSON_DEPTH_MAX)) {
    throw refusal({ path: '', message: `is nested deeper than ${JSON_DEPTH_MAX} levels` });
  }
  const schema = parseSchema(text);
  const schemaError =
    findSchemaError(schema) ??
    findRootError(schema) ??
    (await validator.findError(text, schemaCaller));
  if (schemaError) throw refusal(schemaError);
};

const parseSchema = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) {
      return schema as Record<string, unknown>;
    }
  } catch {
    // Invalid JSON is reported below.
  }
  throw refusal({ path: '', message: 'must be a JSON Schema object' });
};

const findRootError = ({ type }: Readonly<Record<string, unknown>>): SchemaError | undefined =>
  type === 'object'
    ? undefined
    : { path: 'type', message: 'must be "object": arguments have names' };

/** Length to which the path of an error is truncated, because property names can be long. */
const PATH_LENGTH_MAX = 256;

const refusal = ({ path, message }: SchemaError) => {
  const param = `parameters${path === '' ? '' : `.${path}`}`.slice(0, PATH_LENGTH_MAX);
  return invalidRequest(`${param.toWellFormed()} ${message}.`, { param: param.toWellFormed() });
};
