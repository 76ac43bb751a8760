import type { AnswerNormalizer } from '../dialect.ts';
import { asList, asNumber, asObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

/**
 * Creates a normalizer of one answer, which numbers the blocks of a stream without gaps: clients
 * count blocks, and lose the text of a block whose index is another. An event of a stream without
 * gaps is returned unchanged, as the same object.
 */
export const createAnswerNormalizer = (): AnswerNormalizer => {
  /** The index of each block by the one that the provider sent. */
  const indexes = new Map<number, number>();
  let started = 0;
  const numberBlock = (event: JsonObject): JsonObject => {
    const sent = asNumber(event.index);
    const index = sent === undefined ? undefined : indexes.get(sent);
    return index === undefined || index === sent ? event : { ...event, index };
  };
  return {
    chunk: (event) => {
      switch (event.type) {
        case 'message_start':
          started = asList(asObject(event.message)?.content).length;
          for (let index = 0; index < started; index += 1) indexes.set(index, index);
          return event;
        case 'content_block_start': {
          const sent = asNumber(event.index) ?? started;
          // A block that starts twice keeps its index, and contradicts the first.
          if (!indexes.has(sent)) {
            indexes.set(sent, started);
            started += 1;
          }
          return numberBlock(event);
        }
        case 'content_block_delta':
        case 'content_block_stop':
          return numberBlock(event);
        default:
          return event;
      }
    },
    body: (body) => body,
  };
};
