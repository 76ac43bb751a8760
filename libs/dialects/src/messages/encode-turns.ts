import { invalidRequest } from '@witan/contracts';
import type { Turn } from '@witan/contracts';
import type { JsonObject } from '../json/lenient.ts';
import { asText } from '../json/lenient.ts';
import { createToolCallIdConverter } from '../neutral/create-tool-call-id-converter.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { gatherTurns } from '../neutral/gather-turns.ts';
import type { Draft } from '../neutral/gather-turns.ts';
import { encodeParts, toContent } from './encode-content.ts';

type Message = { role: string; content: string | JsonObject[] };
type BlockDraft = Draft<JsonObject, string>;

const ID_RULE = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: Infinity };

/**
 * First message of a conversation that begins with the assistant, which only the other dialect
 * allows.
 */
const OPENING: Message = { role: 'user', content: '(The assistant speaks first.)' };

/**
 * Encodes turns as messages. Empty turns are omitted and their neighbours merged. Trailing white
 * space of a final assistant message is removed, because providers refuse it. Throws
 * INVALID_REQUEST if no message remains, or for content that this dialect does not support.
 */
export const encodeTurns = (turns: readonly Turn[], dropped: DroppedFields): Message[] => {
  const context = { ids: createToolCallIdConverter(turns, ID_RULE), dropped };
  const gathered = gatherTurns<JsonObject, string>(({ type }) => type === 'tool_result');
  for (const { role, parts } of turns) {
    context.ids.startTurn();
    gathered.add(role, encodeParts(parts, context));
  }
  trimEnd(gathered.drafts.at(-1));
  const messages = gathered.drafts.map(toMessage);
  if (messages.length === 0) {
    throw invalidRequest('messages: must hold a user message that says something.', {
      param: 'messages',
    });
  }
  return messages[0]?.role === 'assistant' ? [OPENING, ...messages] : messages;
};

const toMessage = ({ role, results, others }: BlockDraft): Message => ({
  role,
  content: toContent([...results, ...others]),
});

const trimEnd = (draft: BlockDraft | undefined): void => {
  const last = draft?.others.at(-1);
  if (draft?.role !== 'assistant' || last?.type !== 'text') return;
  draft.others[draft.others.length - 1] = { ...last, text: asText(last.text).trimEnd() };
};
