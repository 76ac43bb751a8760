import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ResponseFormatSchema } from '@witan/contracts';
import { unsupportedParameter } from '../neutral/unsupported-parameter.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { expectFlag, expectOptionalText, expectObject, isAbsent } from '../json/expect-json.ts';

type ResponseFormatInit = MessageInitShape<typeof ResponseFormatSchema>;

const PATH = 'response_format';

export const decodeResponseFormat = (
  value: unknown,
  dropped: DroppedFields,
): ResponseFormatInit | undefined => {
  if (isAbsent(value)) return undefined;
  const format = expectObject(value, PATH);
  dropped.addUnknown(format, ['type', 'json_schema'], PATH);
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return { kind: 'json_object' };
  if (format.type === 'json_schema') return decodeSchema(format.json_schema, dropped);
  throw unsupportedParameter(`${PATH}.type`, 'only text, json_object and json_schema are known.');
};

const KNOWN = ['name', 'description', 'schema', 'strict'];

const decodeSchema = (value: unknown, dropped: DroppedFields): ResponseFormatInit => {
  const path = `${PATH}.json_schema`;
  const { name, description, schema, strict, ...others } = expectObject(value, path);
  dropped.addUnknown(others, KNOWN, path);
  return {
    kind: 'json_schema',
    name: expectOptionalText(name, `${path}.name`),
    description: expectOptionalText(description, `${path}.description`),
    schema: isAbsent(schema) ? '' : JSON.stringify(expectObject(schema, `${path}.schema`)),
    strict: expectFlag(strict, `${path}.strict`),
  };
};
