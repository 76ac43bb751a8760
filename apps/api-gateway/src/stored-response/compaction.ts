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
 * Returns the items whose answer is the summary of `items`. Calls of any tool and their results
 * become texts, because many providers refuse them in a request that declares no tools. Items
 * without text are left out, but not summaries of other gateways: a provider refuses those that it
 * cannot read.
 */
export const toSummaryInput = (items: readonly JsonObject[]): JsonObject[] => [
  ...items.flatMap(toReadable),
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

const toReadable = (item: JsonObject): JsonObject[] => {
  const type = typeof item.type === 'string' ? item.type : 'message';
  if (type === 'message' || type === 'compaction') return [item];
  if (type.endsWith('_call')) return toCallText(item, type.slice(0, -'_call'.length));
  return type.endsWith('_output') ? toResultText(item) : [];
};

/** Members in which the calls of different tools have their arguments. */
const ARGUMENTS = ['arguments', 'input', 'action', 'operation', 'queries', 'code'] as const;

const toCallText = (item: JsonObject, tool: string): JsonObject[] => {
  const text = ARGUMENTS.map((member) => toText(item[member])).find((found) => found !== '');
  if (text === undefined && item.name === undefined) return [];
  const name = typeof item.name === 'string' ? item.name : tool;
  const call = `Call of the tool ${name}: ${text ?? ''}`;
  const output = toText(item.output);
  const content = output === '' ? call : `${call}\n${RESULT_LEAD}${output}`;
  return [{ role: 'assistant', content }];
};

const RESULT_LEAD = 'Result of the tool: ';

const toResultText = ({ output }: JsonObject): JsonObject[] => {
  if (isContent(output)) return [{ role: 'user', content: output }];
  const text = toText(output);
  return text === '' ? [] : [toUserMessage(RESULT_LEAD + text)];
};

const isContent = (output: unknown): boolean =>
  Array.isArray(output) &&
  output.length > 0 &&
  output.every((part: JsonObject | null) => String(part?.type).startsWith('input_'));

/** Returns a text or the JSON of another value, without images and files in it. */
const toText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value, omitData);
};

const omitData = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith('data:') ? '(data)' : value;

const toUserMessage = (text: string): JsonObject => ({
  type: 'message',
  role: 'user',
  content: [toPart(text)],
});

const toPart = (text: string): JsonObject => ({ type: 'input_text', text });
