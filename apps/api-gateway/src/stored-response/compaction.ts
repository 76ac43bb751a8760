import type { JsonObject } from '@witan/dialects';
import { readSummary, SUMMARY_PREFIX } from '@witan/proof';

/** Begins the message that stands for a compacted conversation in a request. */
const SUMMARY_LEAD = 'Summary of the conversation until here:\n\n';

const PROMPT =
  'Summarize this conversation for an assistant that will continue it without seeing it. Keep ' +
  'what the user wants, what was decided and why, names, numbers, places and results that later ' +
  'answers need, and what is still open. Leave out what no longer matters. Write only the summary.';

/** Returns the item that takes the place of earlier items in later requests. */
export const toCompaction = (id: string, summary: string): JsonObject => ({
  id: `cmp_${id}`,
  type: 'compaction',
  encrypted_content: SUMMARY_PREFIX + summary,
});

/** Returns the message that any model can read instead of a compaction item of the gateway. */
export const fromCompaction = ({ type, encrypted_content: content }: JsonObject) => {
  const summary = type === 'compaction' ? readSummary(String(content)) : undefined;
  return summary === undefined ? undefined : toUserMessage(SUMMARY_LEAD + summary);
};

/**
 * Returns the items whose answer is the summary of `items`. Calls and their results become texts,
 * because many providers refuse them in a request that declares no tools.
 */
export const toSummaryInput = (items: readonly JsonObject[]): JsonObject[] => [
  ...items.map(toReadable),
  toUserMessage(PROMPT),
];

/** Returns the messages that a compacted conversation keeps: those of the user. */
export const messagesOfUser = (items: readonly JsonObject[]): JsonObject[] =>
  items.filter(isUserMessage).map(({ content, ...message }) => ({
    ...message,
    type: 'message',
    content: typeof content === 'string' ? [toPart(content)] : content,
  }));

const isUserMessage = ({ type = 'message', role, content }: JsonObject): boolean =>
  type === 'message' && role === 'user' && !isSummary(content);

const isSummary = (content: unknown): boolean =>
  Array.isArray(content) && String(content[0]?.text).startsWith(SUMMARY_LEAD);

const toReadable = (item: JsonObject): JsonObject => {
  const { type, name, arguments: args, output } = item;
  if (type === 'function_call') {
    return { role: 'assistant', content: `Call of the tool ${String(name)}: ${String(args)}` };
  }
  if (type !== 'function_call_output') return item;
  return typeof output === 'string'
    ? toUserMessage(`Result of the tool: ${output}`)
    : { role: 'user', content: output };
};

const toUserMessage = (text: string): JsonObject => ({
  type: 'message',
  role: 'user',
  content: [toPart(text)],
});

const toPart = (text: string): JsonObject => ({ type: 'input_text', text });
