import { isJsonObject, parseJson, toJsonObject } from './json-object.ts';
import type { JsonObject } from './json-object.ts';
import { parseTranscript } from './parse-transcript.ts';
import type { TranscriptFrame } from './parse-transcript.ts';
import { toViolations } from './to-violations.ts';

/**
 * Checks form and order of the events of a responses stream: names, numbers, openers, one item
 * after another, texts that are the sum of their deltas, and the end. Returns one message per
 * violation, with the number of the event if a single event causes it.
 */
export const checkResponseStream = (transcript: string): string[] => {
  const { frames, violations: parseViolations } = parseTranscript(transcript);
  const progress: Progress = { items: [], texts: new Map() };
  const violations = frames.flatMap((frame, index) =>
    checkFrame(progress, frame, index).map(
      (violation) => `event ${index + 1} (${String(frame.value?.['type'])}): ${violation}`,
    ),
  );
  const endViolations = toViolations(
    [progress.terminal !== undefined, 'the stream ends without a terminal event'],
    [progress.isDone === true, 'the stream ends without [DONE]'],
  );
  return [...parseViolations, ...violations, ...endViolations];
};

type Item = { id: unknown; type: unknown; isDone: boolean; last?: JsonObject };

type Progress = {
  responseId?: unknown;
  items: Item[];
  /** Sums of the deltas by their item and index. */
  texts: Map<string, string>;
  terminal?: string;
  isDone?: boolean;
};

const TERMINAL = ['response.completed', 'response.incomplete', 'response.failed', 'error'];
const OPENERS = ['response.created', 'response.in_progress'];

const checkFrame = (
  progress: Progress,
  { event: name, data, value }: TranscriptFrame,
  index: number,
): string[] => {
  if (progress.isDone) return ['comes after [DONE]'];
  if (data === '[DONE]') {
    progress.isDone = true;
    return [];
  }
  if (value === undefined) return ['its data is no JSON object'];
  const type = String(value['type']);
  const opener = OPENERS[index];
  return [
    ...toViolations(
      [name === type, `is sent under the name ${JSON.stringify(name)}`],
      [value['sequence_number'] === index, `has the number ${String(value['sequence_number'])}`],
      [progress.terminal === undefined, `comes after ${String(progress.terminal)}`],
      [opener === undefined || type === opener || type === 'error', `is not ${String(opener)}`],
    ),
    ...checkEvent(progress, type, value),
  ];
};

const checkEvent = (progress: Progress, type: string, event: JsonObject): string[] => {
  if (isJsonObject(event['response'])) return checkResponse(progress, type, event['response']);
  if (type === 'error') {
    progress.terminal = type;
    return [];
  }
  if (type === 'response.output_item.added') return addItem(progress, event);
  const index = Number(event['output_index']);
  const item = progress.items[index];
  if (!item || item.isDone) return ['belongs to no open item'];
  if (type === 'response.output_item.done') return endItem(item, toJsonObject(event['item']));
  return [
    ...toViolations([event['item_id'] === item.id, 'has the id of another item']),
    ...checkText(progress, type, event),
  ];
};

const checkResponse = (progress: Progress, type: string, response: JsonObject): string[] => {
  progress.responseId ??= response['id'];
  if (TERMINAL.includes(type)) progress.terminal = type;
  const isWhole = type === 'response.completed' || type === 'response.incomplete';
  const output = JSON.stringify(response['output']);
  return toViolations(
    [response['id'] === progress.responseId, 'has the id of another response'],
    [
      `response.${String(response['status'])}` === type || type === OPENERS[0],
      'has another status',
    ],
    [!isWhole || progress.items.every(({ isDone }) => isDone), 'comes before the end of an item'],
    [
      !isWhole || output === JSON.stringify(progress.items.map(({ last }) => last)),
      'has other items than the stream',
    ],
  );
};

const addItem = (progress: Progress, event: JsonObject): string[] => {
  const item = toJsonObject(event['item']);
  const previous = progress.items.at(-1);
  progress.items.push({ id: item['id'], type: item['type'], isDone: false });
  return toViolations(
    [event['output_index'] === progress.items.length - 1, 'is not at the next index'],
    [previous === undefined || previous.isDone, 'comes before the end of the previous item'],
    [item['status'] === 'in_progress', 'is not in progress'],
  );
};

const endItem = (item: Item, last: JsonObject): string[] => {
  item.isDone = true;
  item.last = last;
  const isCall = last['type'] === 'function_call' && last['status'] === 'completed';
  return toViolations(
    [last['id'] === item.id && last['type'] === item.type, 'is another item than was added'],
    [['completed', 'incomplete'].includes(String(last['status'])), 'has not ended'],
    [
      !isCall || isJsonObject(parseJson(String(last['arguments']))),
      'has arguments that are no JSON object',
    ],
  );
};

const checkText = ({ texts }: Progress, type: string, event: JsonObject): string[] => {
  const [, stem = '', ending = ''] = /^(.+)\.(added|delta|done)$/.exec(type) ?? [];
  const place = event['content_index'] ?? event['summary_index'] ?? 0;
  const key = JSON.stringify([event['output_index'], place]);
  if (ending === 'added') {
    texts.set(key, '');
    return [];
  }
  if (ending === 'delta') {
    const isOpen = texts.has(key) || stem.endsWith('arguments');
    texts.set(key, (texts.get(key) ?? '') + String(event['delta']));
    return toViolations([isOpen, 'has no part that was added']);
  }
  const part = toJsonObject(event['part']);
  const whole = event['text'] ?? event['refusal'] ?? event['arguments'];
  return toViolations([
    (whole ?? part['text'] ?? part['refusal']) === texts.get(key),
    'is not the sum of its deltas',
  ]);
};
