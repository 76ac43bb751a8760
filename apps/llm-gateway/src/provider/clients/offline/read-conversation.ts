import { isRecord } from './is-record.ts';
import { readBlocks } from './read-blocks.ts';
import { readContent, type Unreadable } from './read-content.ts';
import { jsonToProse } from './json-to-prose.ts';
import { splitSentences } from './split-sentences.ts';

/**
 * Source of a passage. `rest` is the text beside the question in the user's message, `data` a data
 * block in the instructions.
 */
export type Speaker = 'instructions' | 'data' | 'user' | 'assistant' | 'tool' | 'rest';

/** A text of the conversation. Answers may quote all but the instructions. */
export type Passage = {
  readonly speaker: Speaker;
  readonly text: string;
  readonly label?: string;
  readonly tool?: string;
  /** True for a tool result after the last user message, which is a result for this question. */
  readonly isFresh: boolean;
};

export type Conversation = {
  /** The sentence that asks, from the last user message; empty if there is no such message. */
  readonly question: string;
  readonly passages: readonly Passage[];
  readonly unreadable: Readonly<Record<Unreadable, number>>;
  readonly hasToolResult: boolean;
};

// Limits the work of one answer; older text is not read.
const MAX_READ_CHARACTERS = 200_000;
const MAX_MESSAGES = 2_000;
const QUESTION_END = /[?？؟;՞]["'”’»)\]]*$/u;

/**
 * Reads a request body of any shape without throwing; unusable parts are ignored. The question is
 * the last sentence of the last user message that ends in a question mark of any script, else that
 * message's first sentence.
 */
export function readConversation(body: unknown): Conversation {
  const messages = newestMessages(body);
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const lastMessage = splitQuestion(messages[lastUser]?.text ?? '');
  const passages = messages.flatMap((message, index) => {
    const text = index === lastUser ? lastMessage.rest : message.text;
    if (text === '') return [];
    const speaker = index === lastUser ? 'rest' : speakerOf(message.role);
    const isFresh = speaker === 'tool' && index > lastUser;
    if (speaker === 'instructions') return toInstructions(text);
    return [{ speaker, text: jsonToProse(text), tool: message.tool, isFresh } satisfies Passage];
  });
  return {
    question: lastMessage.question,
    passages,
    unreadable: countUnreadable(messages),
    hasToolResult: messages.some(
      ({ role }, index) => index > lastUser && speakerOf(role) === 'tool',
    ),
  };
}

function toInstructions(text: string): Passage[] {
  const { instructions, blocks } = readBlocks(text);
  return [
    { speaker: 'instructions', text: instructions, isFresh: false },
    ...blocks.map(
      (block) =>
        ({
          speaker: 'data',
          text: jsonToProse(block.text),
          label: block.label,
          isFresh: false,
        }) satisfies Passage,
    ),
  ];
}

export type ReadMessage = {
  readonly role: string;
  readonly text: string;
  readonly unreadable: readonly Unreadable[];
  readonly tool?: string;
};

export function newestMessages(body: unknown): ReadMessage[] {
  const all = isRecord(body) && Array.isArray(body['messages']) ? body['messages'] : [];
  const messages = all.slice(-MAX_MESSAGES).filter((message) => isRecord(message));
  const toolNames = nameToolCalls(messages);
  let charactersLeft = MAX_READ_CHARACTERS;
  return messages
    .toReversed()
    .map((message) => {
      const parts = readContent(message['content']);
      const text = parts.text.slice(0, charactersLeft).toWellFormed();
      charactersLeft -= text.length;
      const tool = toolNames.get(message['tool_call_id']) ?? asName(message['name']);
      return { role: String(message['role']), text, unreadable: parts.unreadable, tool };
    })
    .toReversed();
}

function nameToolCalls(messages: readonly Record<string, unknown>[]): Map<unknown, string> {
  const calls = messages.flatMap(({ tool_calls: list }) => (Array.isArray(list) ? list : []));
  const names = new Map<unknown, string>();
  for (const call of calls) {
    const named = isRecord(call) && isRecord(call['function']) ? call['function']['name'] : null;
    if (isRecord(call) && typeof named === 'string') names.set(call['id'], named);
  }
  return names;
}

function asName(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function splitQuestion(text: string): { question: string; rest: string } {
  const sentences = splitSentences(text);
  const asking = Math.max(
    0,
    sentences.findLastIndex((sentence) => QUESTION_END.test(sentence)),
  );
  return {
    question: sentences[asking] ?? '',
    rest: sentences.toSpliced(asking, 1).join('\n'),
  };
}

function speakerOf(role: string): Speaker {
  if (role === 'system' || role === 'developer') return 'instructions';
  if (role === 'tool' || role === 'function') return 'tool';
  return role === 'assistant' ? 'assistant' : 'user';
}

function countUnreadable(messages: readonly ReadMessage[]): Record<Unreadable, number> {
  const counts = { image: 0, recording: 0, file: 0 };
  for (const { unreadable } of messages) for (const kind of unreadable) counts[kind] += 1;
  return counts;
}
