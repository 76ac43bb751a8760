import { create } from '@bufbuild/protobuf';
import { ToolChoiceSchema, ToolSchema, invalidRequest } from '@witan/contracts';
import type { Tool, ToolChoice } from '@witan/contracts';
import {
  expectOptionalText,
  expectOptionalList,
  expectOptionalJson,
  expectFlag,
  expectObject,
  expectText,
  isAbsent,
  decodeCacheControl,
  asList,
} from '../json/json-value.ts';
import { unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';

const KNOWN = [
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
  'allowed_callers',
];

export const decodeTools = (tools: unknown, dropped: DroppedFields): Tool[] => {
  return expectOptionalList(tools, 'tools').map((item, position) => {
    const path = `tools[${position}]`;
    const tool = expectObject(item, path);
    if (!isAbsent(tool.type) && tool.type !== 'custom') {
      throw unsupportedParameter(`${path}.type`, 'Such tools belong to their own provider.');
    }
    if (asList(tool.allowed_callers).some((caller) => caller !== 'direct')) {
      throw unsupportedParameter(
        `${path}.allowed_callers`,
        'In another dialect the model alone calls tools.',
      );
    }
    dropped.addUnknown(tool, KNOWN, path);
    const { description, input_schema: schema } = tool;
    return create(ToolSchema, {
      name: expectText(tool.name, `${path}.name`),
      description: expectOptionalText(description, `${path}.description`),
      parameters: expectOptionalJson(schema, `${path}.input_schema`),
      strict: expectFlag(tool.strict, `${path}.strict`),
      cacheControl: decodeCacheControl(tool, path),
    });
  });
};

const MODES: ReadonlyMap<unknown, string> = new Map([
  ['auto', 'auto'],
  ['any', 'required'],
  ['tool', 'tool'],
  ['none', 'none'],
]);

export const decodeToolChoice = (
  value: unknown,
  dropped: DroppedFields,
): ToolChoice | undefined => {
  if (isAbsent(value)) return undefined;
  const choice = expectObject(value, 'tool_choice');
  const mode = MODES.get(choice.type);
  if (mode === undefined) {
    const param = 'tool_choice.type';
    throw invalidRequest(`${param}: must be auto, any, tool or none.`, { param });
  }
  dropped.addUnknown(choice, ['type', 'name', 'disable_parallel_tool_use'], 'tool_choice');
  const path = 'tool_choice.disable_parallel_tool_use';
  const isSingle = expectFlag(choice.disable_parallel_tool_use, path);
  return create(ToolChoiceSchema, {
    mode,
    name: mode === 'tool' ? expectText(choice.name, 'tool_choice.name') : '',
    parallel: isSingle === undefined ? undefined : !isSingle,
  });
};
