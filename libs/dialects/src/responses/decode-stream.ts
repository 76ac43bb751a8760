import type { AnswerPiece, StreamDecoder } from '../dialect.ts';
import { asList, asNumber, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { createBlockQueue } from '../neutral/create-block-queue.ts';
import type { Block, BlockQueue } from '../neutral/create-block-queue.ts';
import { closingPieces, contentsOf, openingPieces, paragraph } from './decode-response.ts';

/** An item of the output; `received` has the keys of its texts that deltas carried. */
type OutputItem = Block & { isCall: boolean; received: Set<string>; isEnded: boolean };
type Items = BlockQueue<OutputItem>;

type Delta = { kind: Exclude<AnswerPiece['case'], 'toolCall'>; list: string };

/** Deltas by the type of the event without its ending, and the list that `..._index` refers to. */
const DELTAS: ReadonlyMap<string, Delta> = new Map([
  ['response.output_text', { kind: 'text', list: 'content' }],
  ['response.refusal', { kind: 'refusal', list: 'content' }],
  ['response.function_call_arguments', { kind: 'toolArguments', list: '' }],
  ['response.reasoning_summary_text', { kind: 'reasoning', list: 'summary' }],
  ['response.reasoning_text', { kind: 'reasoning', list: 'content' }],
]);

const ARGUMENTS = 'arguments';

/**
 * Creates a decoder of a provider's stream, which returns pieces in order and never throws,
 * whatever the events contain. A text that no delta carried is taken from the event that ends it,
 * from its item, or from the final response. If a provider interleaves items, the pieces of the
 * later item are buffered until the earlier one ends.
 */
export const createStreamDecoder = (): StreamDecoder => {
  const items: Items = createBlockQueue();
  return {
    push: (event) => {
      const index = asNumber(event.output_index) ?? 0;
      switch (event.type) {
        case 'response.output_item.added':
          return start(items, index, asObject(event.item) ?? {});
        case 'response.output_item.done':
          return end(items, index, asObject(event.item) ?? {});
        case 'response.completed':
        case 'response.incomplete':
          return asList(asObject(event.response)?.output).flatMap((item, position) =>
            end(items, position, asObject(item) ?? {}),
          );
        default:
          return appendEvent(items, index, event);
      }
    },
    end: items.closeAll,
    get bufferedSize() {
      return items.bufferedSize;
    },
    stopSequence: '',
  };
};

const isCall = (source: JsonObject): boolean => source.type === 'function_call';

const start = (items: Items, index: number, source: JsonObject): AnswerPiece[] => {
  const item = {
    isCall: isCall(source),
    received: new Set<string>(),
    isEnded: false,
    heldSize: 0,
    closing: () => [],
  };
  return items.start(index, item, openingPieces(source));
};

/**
 * Ends an item with what `source` has and no delta carried. Has no effect on an ended item. A
 * source of the other kind than the item, call or not, gives nothing: it does not fit what came.
 */
const end = (items: Items, index: number, source: JsonObject): AnswerPiece[] => {
  const opening = items.find(index) ? [] : start(items, index, source);
  const item = items.find(index)!;
  if (item.isEnded) return opening;
  item.isEnded = true;
  const missing = contentsOf(source)
    .filter(({ key, piece }) => !item.received.has(receivedKey(piece, key)))
    .map(({ piece }) => piece);
  const rest = item.isCall === isCall(source) ? [...missing, ...closingPieces(source)] : [];
  return [...opening, ...items.append(index, rest), ...items.close(index)];
};

/**
 * Returns the key under which a text counts as received. Reasoning has one key, because a provider
 * may stream only its text or only its summary.
 */
const receivedKey = ({ case: kind }: Pick<AnswerPiece, 'case'>, key: string): string =>
  kind === 'reasoning' ? kind : key;

/**
 * Appends the text of an event to its item. A text that does not fit the item is ignored: arguments
 * belong to a call whose name is known.
 */
const appendEvent = (items: Items, index: number, event: JsonObject): AnswerPiece[] => {
  const [, type = '', ending] = /^(.+)\.(delta|done)$/.exec(asText(event.type)) ?? [];
  const delta = DELTAS.get(type);
  const isOfCall = delta?.kind === 'toolArguments';
  if (!delta || (items.find(index)?.isCall ?? false) !== isOfCall) return [];
  const opening = items.find(index) ? [] : start(items, index, {});
  const value = takeText(items.find(index)!, delta, { event, isDelta: ending === 'delta' });
  if (value === '') return opening;
  return [...opening, ...items.append(index, [{ case: delta.kind, value }])];
};

/** Returns the new text of an event: a delta, or a whole text of which no delta was received. */
const takeText = (
  { received }: OutputItem,
  { kind, list }: Delta,
  { event, isDelta }: { event: JsonObject; isDelta: boolean },
): string => {
  const position = asNumber(event[`${list}_index`]) ?? 0;
  const key = receivedKey({ case: kind }, list === '' ? ARGUMENTS : `${list} ${position}`);
  if (!isDelta && received.has(key)) return '';
  const text = asText(isDelta ? event.delta : (event.text ?? event.refusal ?? event.arguments));
  if (text === '') return '';
  const isFirst = !received.has(`${key} ${position}`);
  received.add(key).add(`${key} ${position}`);
  return kind === 'reasoning' && isFirst ? paragraph(position) + text : text;
};
