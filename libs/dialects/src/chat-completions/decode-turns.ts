import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { TextPartSchema, TurnSchema } from '@witan/contracts';
import {
  expectList,
  expectNonEmpty,
  expectOptionalText,
  expectOptionalList,
  expectObject,
  isAbsent,
} from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { gatherTurns } from '../neutral/gather-turns.ts';
import type { GatheredTurns } from '../neutral/gather-turns.ts';
import { decodeContent } from './decode-content.ts';
import type { PartInit } from './decode-content.ts';

type TextInit = MessageInitShape<typeof TextPartSchema>;
type SystemAndTurns = { system: TextInit[]; turns: MessageInitShape<typeof TurnSchema>[] };

type Role = 'user' | 'assistant';
type DecodeState = {
  system: TextInit[];
  gatheredTurns: GatheredTurns<PartInit, Role>;
  dropped: DroppedFields;
};

/**
 * Decodes messages to instructions and turns of the neutral conversation. System and developer
 * messages become instructions, in order. Adjacent messages of one role become one turn; tool
 * messages belong to the user's turn. Throws INVALID_REQUEST with the path of an invalid or
 * unsupported field.
 */
export const decodeTurns = (value: unknown, dropped: DroppedFields): SystemAndTurns => {
  const messages = expectList(value, 'messages');
  if (messages.length === 0) {
    throw invalidRequest('messages: must hold at least one message.', { param: 'messages' });
  }
  const gatheredTurns = gatherTurns<PartInit, Role>(({ part }) => part?.case === 'toolResult');
  const state: DecodeState = { system: [], gatheredTurns, dropped };
  messages.forEach((item, index) => {
    const path = `messages[${index}]`;
    addMessage(state, expectObject(item, path), path);
  });
  return {
    system: state.system,
    turns: gatheredTurns.drafts.map(({ role, results, others }) => ({
      role,
      parts: [...results, ...others],
    })),
  };
};

const addMessage = (state: DecodeState, message: JsonObject, path: string): void => {
  switch (message.role) {
    case 'system':
    case 'developer':
      return addInstructions(state, message, path);
    case 'user':
      return addUserMessage(state, message, path);
    case 'assistant':
      return addAssistantMessage(state, message, path);
    case 'tool':
      return addToolResult(state, message, path);
    case 'function':
      throw unsupportedParameter(`${path}.role`, 'the old form of "tool" cannot be translated.');
    default:
      throw invalidRequest(
        `${path}.role: must be "system", "developer", "user", "assistant" or "tool".`,
        { param: `${path}.role` },
      );
  }
};

const MESSAGE_MEMBERS = ['role', 'content'];
const ASSISTANT_MEMBERS = [...MESSAGE_MEMBERS, 'refusal', 'tool_calls', 'audio', 'function_call'];
const TOOL_MEMBERS = [...MESSAGE_MEMBERS, 'tool_call_id'];

const addInstructions = (
  { system, dropped }: DecodeState,
  message: JsonObject,
  path: string,
): void => {
  dropped.addUnknown(message, MESSAGE_MEMBERS, path);
  for (const { part } of decodeContent(message.content, ['text'], contentContext(path, dropped))) {
    if (part?.case === 'text') system.push(part.value);
  }
};

const addUserMessage = (state: DecodeState, message: JsonObject, path: string): void => {
  state.dropped.addUnknown(message, MESSAGE_MEMBERS, path);
  const allowedTypes = ['text', 'image_url', 'input_audio', 'file'] as const;
  const parts = decodeContent(message.content, allowedTypes, contentContext(path, state.dropped));
  state.gatheredTurns.add('user', parts);
};

/**
 * Adds an assistant message. Its reasoning is omitted, because it is unsigned in this dialect and
 * providers of the other dialect refuse unsigned reasoning.
 */
const addAssistantMessage = (state: DecodeState, message: JsonObject, path: string): void => {
  const { dropped } = state;
  dropped.addUnknown(message, ASSISTANT_MEMBERS, path);
  if (!isAbsent(message.audio)) {
    throw unsupportedParameter(`${path}.audio`, 'spoken answers are known to their maker only.');
  }
  if (!isAbsent(message.function_call)) {
    const reason = 'the old form of `tool_calls` cannot be translated: send those.';
    throw unsupportedParameter(`${path}.function_call`, reason);
  }
  const contentParts = isAbsent(message.content)
    ? []
    : decodeContent(message.content, ['text', 'refusal'], contentContext(path, dropped));
  const refusal = expectOptionalText(message.refusal, `${path}.refusal`);
  const parts = [
    ...contentParts,
    { part: { case: 'refusal' as const, value: { text: refusal } } },
    ...decodeToolCalls(message.tool_calls, `${path}.tool_calls`, dropped),
  ].filter(hasText);
  state.gatheredTurns.add('assistant', parts);
};

const hasText = ({ part }: PartInit): boolean =>
  (part?.case !== 'text' && part?.case !== 'refusal') || part.value.text !== '';

const decodeToolCalls = (value: unknown, path: string, dropped: DroppedFields): PartInit[] =>
  expectOptionalList(value, path).map((item, index) => ({
    part: decodeToolCall(expectObject(item, `${path}[${index}]`), `${path}[${index}]`, dropped),
  }));

const decodeToolCall = (
  call: JsonObject,
  path: string,
  dropped: DroppedFields,
): PartInit['part'] => {
  if (!isAbsent(call.type) && call.type !== 'function') {
    throw unsupportedParameter(`${path}.type`, 'only calls of type "function" are known there.');
  }
  const calledFunction = expectObject(call.function, `${path}.function`);
  dropped.addUnknown(call, ['id', 'type', 'function', 'index'], path);
  dropped.addUnknown(calledFunction, ['name', 'arguments'], `${path}.function`);
  return {
    case: 'toolCall',
    value: {
      id: expectNonEmpty(call.id, `${path}.id`),
      name: expectNonEmpty(calledFunction.name, `${path}.function.name`),
      arguments: expectOptionalText(calledFunction.arguments, `${path}.function.arguments`),
    },
  };
};

const addToolResult = (state: DecodeState, message: JsonObject, path: string): void => {
  const { dropped } = state;
  dropped.addUnknown(message, TOOL_MEMBERS, path);
  const allowedTypes = ['text', 'image_url', 'file'] as const;
  const parts = isAbsent(message.content)
    ? []
    : decodeContent(message.content, allowedTypes, contentContext(path, dropped)).filter(hasText);
  const toolCallId = expectNonEmpty(message.tool_call_id, `${path}.tool_call_id`);
  state.gatheredTurns.add('user', [{ part: { case: 'toolResult', value: { toolCallId, parts } } }]);
};

const contentContext = (path: string, dropped: DroppedFields) => ({
  path: `${path}.content`,
  dropped,
});
