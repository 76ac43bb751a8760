import type { AnswerPiece, DialectName } from '@witan/dialects';
import { commitAnswer } from '@witan/proof';
import { createStreamRelay } from '../src/completion/relay.ts';
import type { StreamRelay } from '../src/completion/relay.ts';
import type { CompletionEvent } from '../src/completion/rpc/completions.ts';
import { UNMASKED } from '../src/masking/mask-request.ts';
import { piecesOf, wireText } from './read-as-client.ts';

export type Setting = { provider: DialectName; client: DialectName; wantsUsage: boolean };

export const CHAT: Setting = {
  provider: 'chat-completions',
  client: 'chat-completions',
  wantsUsage: false,
};
export const MESSAGES: Setting = { ...CHAT, provider: 'messages', client: 'messages' };

type OpenRelay = Omit<StreamRelay, 'push'> & {
  push: (bytes: Uint8Array) => CompletionEvent[];
  lastEvents: () => CompletionEvent[];
};

/** Opens a relay whose output is returned as events. */
export const openRelay = ({ provider, client, wantsUsage }: Setting): OpenRelay => {
  let events: CompletionEvent[] = [];
  const output = {
    bytes: (value: Uint8Array) => void events.push({ event: { case: 'wire', value } }),
    piece: (part: AnswerPiece) => void events.push({ event: { case: 'part', value: { part } } }),
  };
  const form = {
    ...UNMASKED,
    dialect: provider,
    client,
    isNeutral: provider !== client,
    hasSchema: false,
    dropped: [],
    wantsJson: false,
    wantsUsage,
  };
  const relay = createStreamRelay(form, output);
  const collect = (work: () => void): CompletionEvent[] => {
    events = [];
    work();
    return events;
  };
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(relay),
      push: { value: (bytes: Uint8Array) => collect(() => relay.push(bytes)) },
      lastEvents: { value: () => collect(() => relay.sendLast(output)) },
    },
  ) as OpenRelay;
};

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
