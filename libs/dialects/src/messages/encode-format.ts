import type { ResponseFormat } from '@witan/contracts';
import type { JsonObject } from '../json/lenient.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { SCHEMA_NAME } from '../neutral/schema-name.ts';
import { closeObjects } from './close-objects.ts';
import { parseObjectAt } from './encode-content.ts';

/**
 * The encoded response format: either `output_config.format`, or an instruction for the system
 * prompt.
 */
export type EncodedFormat = { format?: JsonObject; instruction?: string };

/** Instruction for JSON without a schema; this dialect has no such mode. */
const JSON_INSTRUCTION = 'Answer with one valid JSON object and nothing else.';
const SCHEMA_INSTRUCTION =
  'Answer with one valid JSON value that fits this JSON Schema, and nothing else:';

const PATH = 'response_format.json_schema';

/**
 * Encodes the response format. Providers enforce only schemas with closed objects; other schemas
 * become an instruction and are reported as dropped. Throws INVALID_REQUEST for a schema that is
 * not an object.
 */
export const encodeFormat = (
  responseFormat: ResponseFormat | undefined,
  dropped: DroppedFields,
): EncodedFormat => {
  if (responseFormat?.kind === 'json_object') return { instruction: JSON_INSTRUCTION };
  if (responseFormat?.kind !== 'json_schema') return {};
  const { name, description, schema, strict } = responseFormat;
  if (name !== '' && name !== SCHEMA_NAME) dropped.add(`${PATH}.name`);
  if (description !== '') dropped.add(`${PATH}.description`);
  if (strict === false) dropped.add(`${PATH}.strict`);
  const closedSchema = closeObjects(parseObjectAt(schema, `${PATH}.schema`));
  if (closedSchema) return { format: { type: 'json_schema', schema: closedSchema } };
  dropped.add(`${PATH}.schema`);
  return { instruction: `${SCHEMA_INSTRUCTION}\n${schema}` };
};
