import type { Part, Turn } from '@witan/contracts';
import { estimateTokens } from './estimate-tokens.ts';

/**
 * Turns that are included or dropped together: a user's message and all turns up to the next one,
 * with tool calls and results.
 */
export type Exchange<AnyTurn> = { turns: readonly AnyTurn[]; tokens: number };

const TURN_TOKENS = 4;
/**
 * Flat estimate for images, audio and binary documents, whose tokens cannot be derived from their
 * size.
 */
const MEDIA_TOKENS = 1_600;

/**
 * Groups turns into exchanges. Each message of the user begins a new one, but tool results do not,
 * although their role is `user` as well.
 */
export const toExchanges = (turns: readonly Turn[]): Exchange<Turn>[] => {
  const exchanges: { turns: Turn[]; tokens: number }[] = [];
  for (const turn of turns) {
    let last = exchanges.at(-1);
    if (!last || isOpening(turn)) {
      last = { turns: [], tokens: 0 };
      exchanges.push(last);
    }
    last.turns.push(turn);
    last.tokens += estimateTurn(turn);
  }
  return exchanges;
};

const isOpening = ({ role, parts }: Turn): boolean =>
  role === 'user' && !parts.some(({ part }) => part.case === 'toolResult');

export const estimateTurn = ({ parts }: Turn): number => TURN_TOKENS + estimateParts(parts);

const estimateParts = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + estimatePart(part), 0);

const estimatePart = ({ part }: Part): number => {
  switch (part.case) {
    case 'text':
    case 'refusal':
      return estimateTokens(part.value.text);
    case 'reasoning':
      return estimateTokens(part.value.text + part.value.redacted);
    case 'toolCall':
      return TURN_TOKENS + estimateTokens(part.value.name + part.value.arguments);
    case 'toolResult':
      return TURN_TOKENS + estimateParts(part.value.parts);
    case 'document': {
      const source = part.value.media?.source;
      return source?.case === 'text' ? estimateTokens(source.value) : MEDIA_TOKENS;
    }
    case 'image':
    case 'audio':
      return MEDIA_TOKENS;
    case undefined:
      return 0;
  }
};
