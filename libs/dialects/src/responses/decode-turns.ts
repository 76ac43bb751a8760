import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { TextPartSchema, TurnSchema } from '@witan/contracts';
import {
  asText,
  expectList,
  expectNonEmpty,
  expectObject,
  expectOptionalText,
  isAbsent,
} from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { gatherTurns } from '../neutral/gather-turns.ts';
import type { GatheredTurns } from '../neutral/gather-turns.ts';
import { readEncryptedContent, toResponsesSignature } from '../neutral/provider-signature.ts';
import { decodeContent, INPUT_TYPES, INSTRUCTION_TYPES, OUTPUT_TYPES } from './decode-content.ts';
import type { PartInit } from './decode-content.ts';
import { reasoningText } from './decode-response.ts';

type TextInit = MessageInitShape<typeof TextPartSchema>;
type SystemAndTurns = { system: TextInit[]; turns: MessageInitShape<typeof TurnSchema>[] };

type Role = 'user' | 'assistant';
type DecodeState = {
  system: TextInit[];
  gatheredTurns: GatheredTurns<PartInit, Role>;
  dropped: DroppedFields;
};

/**
 * Decodes `instructions` and `input` to instructions and turns of the neutral conversation. System
 * and developer messages become instructions, in order. Adjacent items of one role become one turn;
 * results of calls belong to the user's turn. Throws INVALID_REQUEST with the path of an invalid or
 * unsupported item.
 */
export const decodeTurns = (
  { instructions, input }: JsonObject,
  dropped: DroppedFields,
): SystemAndTurns => {
  const text = expectOptionalText(instructions, 'instructions');
  const gatheredTurns = gatherTurns<PartInit, Role>(({ part }) => part?.case === 'toolResult');
  const state: DecodeState = { system: text === '' ? [] : [{ text }], gatheredTurns, dropped };
  const items =
    typeof input === 'string' ? [{ role: 'user', content: input }] : expectList(input, 'input');
  if (items.length === 0) {
    throw invalidRequest('input: must hold at least one item.', { param: 'input' });
  }
  items.forEach((item, index) => {
    const path = `input[${index}]`;
    addItem(state, expectObject(item, path), path);
  });
  return {
    system: state.system,
    turns: gatheredTurns.drafts.map(({ role, results, others }) => ({
      role,
      parts: [...results, ...others],
    })),
  };
};

const addItem = (state: DecodeState, item: JsonObject, path: string): void => {
  switch (item.type ?? 'message') {
    case 'message':
      return addMessage(state, item, path);
    case 'function_call':
      return state.gatheredTurns.add('assistant', [decodeCall(item, path, state.dropped)]);
    case 'function_call_output':
      return state.gatheredTurns.add('user', [decodeResult(item, path, state.dropped)]);
    case 'reasoning':
      return state.gatheredTurns.add('assistant', decodeReasoning(item, path, state.dropped));
    case 'item_reference':
      throw unsupportedParameter(
        `${path}.type`,
        'an item_reference names an item that only its own provider stores.',
      );
    default:
      throw unsupportedParameter(
        `${path}.type`,
        `items of type "${asText(item.type)}" belong to the provider that runs them.`,
      );
  }
};

const MESSAGE_MEMBERS = ['type', 'role', 'content', 'id', 'status', 'phase'];

const addMessage = (state: DecodeState, message: JsonObject, path: string): void => {
  const { dropped } = state;
  dropped.addUnknown(message, MESSAGE_MEMBERS, path);
  const context = { path: `${path}.content`, dropped };
  switch (message.role) {
    case 'system':
    case 'developer':
      for (const { part } of decodeContent(message.content, INSTRUCTION_TYPES, context)) {
        if (part?.case === 'text') state.system.push(part.value);
      }
      return;
    case 'user':
      state.gatheredTurns.add('user', decodeContent(message.content, INPUT_TYPES, context));
      return;
    case 'assistant':
      state.gatheredTurns.add(
        'assistant',
        decodeContent(message.content, OUTPUT_TYPES, context).filter(hasText),
      );
      return;
    default:
      throw invalidRequest(`${path}.role: must be "system", "developer", "user" or "assistant".`, {
        param: `${path}.role`,
      });
  }
};

const hasText = ({ part }: PartInit): boolean =>
  (part?.case !== 'text' && part?.case !== 'refusal') || part.value.text !== '';

const CALL_MEMBERS = [
  'type',
  'id',
  'call_id',
  'name',
  'namespace',
  'arguments',
  'status',
  'caller',
];

const decodeCall = (call: JsonObject, path: string, dropped: DroppedFields): PartInit => {
  dropped.addUnknown(call, CALL_MEMBERS, path);
  return {
    part: {
      case: 'toolCall',
      value: {
        id: expectNonEmpty(call.call_id, `${path}.call_id`),
        name: expectNonEmpty(call.name, `${path}.name`),
        arguments: expectOptionalText(call.arguments, `${path}.arguments`),
      },
    },
  };
};

const RESULT_MEMBERS = ['type', 'id', 'call_id', 'output', 'status', 'caller', 'name'];

const decodeResult = (result: JsonObject, path: string, dropped: DroppedFields): PartInit => {
  dropped.addUnknown(result, RESULT_MEMBERS, path);
  const toolCallId = expectNonEmpty(result.call_id, `${path}.call_id`);
  const context = { path: `${path}.output`, dropped };
  const parts = isAbsent(result.output)
    ? []
    : decodeContent(result.output, INPUT_TYPES, context).filter(hasText);
  return { part: { case: 'toolResult', value: { toolCallId, parts } } };
};

const REASONING_MEMBERS = ['type', 'id', 'summary', 'content', 'encrypted_content', 'status'];

/**
 * Decodes reasoning. If the gateway converted it from another dialect, its signature is that of the
 * original; otherwise it keeps the name of the dialect whose provider can open it.
 */
const decodeReasoning = (item: JsonObject, path: string, dropped: DroppedFields): PartInit[] => {
  dropped.addUnknown(item, REASONING_MEMBERS, path);
  const encrypted = expectOptionalText(item.encrypted_content, `${path}.encrypted_content`);
  const text = reasoningText(item);
  const converted = readEncryptedContent(encrypted);
  if (converted && 'redacted' in converted) {
    return [{ part: { case: 'reasoning', value: converted } }];
  }
  const own = encrypted === '' ? '' : toResponsesSignature(asText(item.id), encrypted);
  const signature = converted?.signature ?? own;
  if (text === '' && signature === '') return [];
  return [{ part: { case: 'reasoning', value: { text, signature } } }];
};
