import type { DialectName } from '@witan/dialects';
import { commitAnswer } from '@witan/proof';
import { createStreamRelay } from '../src/completion/relay/relay-streamed.ts';
import type { StreamRelay } from '../src/completion/relay/relay-streamed.ts';
import type { CompletionEvent } from '../src/completion/completion.ts';
import { UNMASKED } from '../src/masking/mask-body.ts';
import { piecesOf, wireText } from './read-as-client.ts';

export type Setting = { provider: DialectName; client: DialectName; wantsUsage: boolean };

export const CHAT: Setting = {
  provider: 'chat-completions',
  client: 'chat-completions',
  wantsUsage: false,
};
export const MESSAGES: Setting = { ...CHAT, provider: 'messages', client: 'messages' };

export const openRelay = ({ provider, client, wantsUsage }: Setting): StreamRelay =>
  createStreamRelay({
    ...UNMASKED,
    dialect: provider,
    client,
    isNeutral: provider !== client,
    hasSchema: false,
    dropped: [],
    wantsJson: false,
    wantsUsage,
  });

/** Formats events as one text. Copies bytes, because a relay may return views of its buffer. */
export const formatEvents = (events: readonly CompletionEvent[]): string =>
  wireText(events) +
  piecesOf(events)
    .map(({ case: kind, value }) => `${kind}:${JSON.stringify(value)}\n`)
    .join('');

export const relay = (pieces: readonly Uint8Array[], setting: Setting = CHAT) => {
  const stream = openRelay(setting);
  const events = pieces.map((piece) => formatEvents(stream.push(piece)));
  const last = formatEvents(stream.lastEvents());
  return {
    client: [...events, last].join(''),
    passed: events,
    last,
    ended: stream.ended,
    contradiction: stream.contradiction,
    finishReason: stream.finishReason,
    stopSequence: stream.stopSequence,
    delivered: stream.delivered,
    sha256: commitAnswer(stream.delivered.choices()),
  };
};
export const relayFrames = (frames: readonly string[], setting?: Partial<Setting>) =>
  relay(
    frames.map((frame) => Buffer.from(frame)),
    { ...CHAT, ...setting },
  );
