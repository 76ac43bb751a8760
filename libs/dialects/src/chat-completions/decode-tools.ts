import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { ToolChoiceSchema, ToolSchema } from '@witan/contracts';
import {
  expectNonEmpty,
  expectOptionalText,
  expectOptionalList,
  expectOptionalJson,
  expectFlag,
  expectObject,
  isAbsent,
  decodeCacheControl,
  asObject,
} from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';

type ToolInit = MessageInitShape<typeof ToolSchema>;
type ToolChoiceInit = MessageInitShape<typeof ToolChoiceSchema>;

const TOOL_MEMBERS = ['type', 'function', 'cache_control'];
const FUNCTION_MEMBERS = ['name', 'description', 'parameters', 'strict'];

export const decodeTools = (value: unknown, dropped: DroppedFields): ToolInit[] =>
  expectOptionalList(value, 'tools').map((item, index) =>
    decodeTool(item, `tools[${index}]`, dropped),
  );

const decodeTool = (item: unknown, path: string, dropped: DroppedFields): ToolInit => {
  const tool = expectObject(item, path);
  if (tool.type !== 'function') {
    throw unsupportedParameter(`${path}.type`, 'only tools of type "function" are known there.');
  }
  const declared = expectObject(tool.function, `${path}.function`);
  const { name, description, parameters, strict } = declared;
  dropped.addUnknown(tool, TOOL_MEMBERS, path);
  dropped.addUnknown(declared, FUNCTION_MEMBERS, `${path}.function`);
  return {
    name: expectNonEmpty(name, `${path}.function.name`),
    description: expectOptionalText(description, `${path}.function.description`),
    parameters: expectOptionalJson(parameters, `${path}.function.parameters`),
    strict: expectFlag(strict, `${path}.function.strict`),
    cacheControl: decodeCacheControl(tool, path),
  };
};

/**
 * Decodes `tool_choice` and `parallel_tool_calls`. If only the latter is present, the mode is
 * `auto`.
 */
export const decodeToolChoice = (
  body: JsonObject,
  dropped: DroppedFields,
): ToolChoiceInit | undefined => {
  const parallel = expectFlag(body.parallel_tool_calls, 'parallel_tool_calls');
  const chosen = isAbsent(body.tool_choice) ? undefined : decodeChosen(body.tool_choice, dropped);
  if (parallel === undefined) return chosen;
  return { mode: 'auto', ...chosen, parallel };
};

const MODES = ['auto', 'none', 'required'];

const decodeChosen = (value: unknown, dropped: DroppedFields): { mode: string; name?: string } => {
  if (typeof value === 'string' && MODES.includes(value)) return { mode: value };
  const choice = asObject(value);
  if (choice?.type === 'function') {
    const path = 'tool_choice.function';
    const calledFunction = expectObject(choice.function, path);
    dropped.addUnknown(choice, ['type', 'function'], 'tool_choice');
    dropped.addUnknown(calledFunction, ['name'], path);
    return { mode: 'tool', name: expectNonEmpty(calledFunction.name, `${path}.name`) };
  }
  if (choice) {
    throw unsupportedParameter('tool_choice.type', 'only a tool of type "function" can be named.');
  }
  throw invalidRequest('tool_choice: must be "auto", "none", "required" or one function.', {
    param: 'tool_choice',
  });
};
