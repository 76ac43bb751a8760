import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { ToolChoiceSchema, ToolSchema } from '@witan/contracts';
import {
  asList,
  asObject,
  asText,
  expectFlag,
  expectNonEmpty,
  expectObject,
  expectOptionalJson,
  expectOptionalList,
  expectOptionalText,
  isAbsent,
} from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';

type ToolInit = MessageInitShape<typeof ToolSchema>;
type ToolChoiceInit = MessageInitShape<typeof ToolChoiceSchema>;

const TOOL_MEMBERS = ['type', 'name', 'description', 'parameters', 'strict'];

/**
 * Decodes the function tools, those in namespaces included. Throws INVALID_REQUEST for a tool of
 * another type, which the provider itself would run or whose calls are not JSON, and names it; and
 * for a function in a namespace whose name another function has, because other dialects have no
 * namespaces.
 */
export const decodeTools = (value: unknown, dropped: DroppedFields): ToolInit[] => {
  const names = new Set<string>();
  return expectOptionalList(value, 'tools').flatMap((item, index) => {
    const path = `tools[${index}]`;
    const tool = expectObject(item, path);
    if (tool.type !== 'namespace') return [decodeFunction(tool, { path, names, dropped })];
    dropped.addUnknown(tool, ['type', 'name', 'tools'], path);
    return expectOptionalList(tool.tools, `${path}.tools`).map((member, memberIndex) => {
      const memberPath = `${path}.tools[${memberIndex}]`;
      return decodeFunction(expectObject(member, memberPath), { path: memberPath, names, dropped });
    });
  });
};

type ToolContext = { path: string; names: Set<string>; dropped: DroppedFields };

const decodeFunction = (tool: JsonObject, { path, names, dropped }: ToolContext): ToolInit => {
  if (tool.type !== 'function') {
    const reason = `the tool "${asText(tool.type)}" is not one that the chosen model has.`;
    throw unsupportedParameter(`${path}.type`, reason);
  }
  dropped.addUnknown(tool, TOOL_MEMBERS, path);
  const name = expectNonEmpty(tool.name, `${path}.name`);
  if (path.includes('.') && names.has(name)) {
    const reason = 'another function has this name, and the chosen model knows no namespaces.';
    throw unsupportedParameter(`${path}.name`, reason);
  }
  names.add(name);
  return {
    name,
    description: expectOptionalText(tool.description, `${path}.description`),
    parameters: expectOptionalJson(tool.parameters, `${path}.parameters`),
    strict: expectFlag(tool.strict, `${path}.strict`),
  };
};

/** Returns the namespace of each function that is in one, by the function's name. */
export const namespacesOf = (tools: unknown): ReadonlyMap<string, string> =>
  new Map(
    asList(tools)
      .map((tool) => asObject(tool))
      .filter((tool) => tool?.type === 'namespace')
      .flatMap((tool) =>
        asList(tool!.tools).map((member): [string, string] => [
          asText(asObject(member)?.name),
          asText(tool!.name),
        ]),
      ),
  );

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
    dropped.addUnknown(choice, ['type', 'name'], 'tool_choice');
    return { mode: 'tool', name: expectNonEmpty(choice.name, 'tool_choice.name') };
  }
  if (choice) {
    throw unsupportedParameter('tool_choice.type', 'only a tool of type "function" can be named.');
  }
  throw invalidRequest('tool_choice: must be "auto", "none", "required" or one function.', {
    param: 'tool_choice',
  });
};
