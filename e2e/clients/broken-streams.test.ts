import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { streamFrames, streamMessageEvents, toMessageError, toMessageEvents } from '@witan/testing';
import { streamResponseEvents, toChatChunks, toResponse, toResponseEvents } from '@witan/testing';
import type { Script } from '@witan/testing';
import { expectProven } from './expect-proven.ts';
import { failureOf } from './failure-of.ts';
import { PAIRINGS } from './pairings.ts';
import type { Pairing } from './pairings.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import { framesUntil, sendModelOutput } from './send-model-output.ts';

type Vendor = Pairing['vendor'];

const PIECES = ['One, ', 'two, ', 'three.'];
const OVERLOADED = 'Too many people ask at once.';
const CHAT_ERROR = {
  error: { message: OVERLOADED, type: 'server_error', param: null, code: 'overloaded' },
};

const toFailedEvent = (model: string, sequence_number: number) => ({
  type: 'response.failed',
  sequence_number,
  response: {
    ...toResponse({ model }),
    status: 'failed',
    completed_at: null,
    usage: null,
    error: { code: 'server_error', message: OVERLOADED },
  },
});

/**
 * Returns a script that sends the first `textCount` pieces of an answer, then an error of the
 * vendor.
 */
const failAfter = ({ dialect, model }: Vendor, textCount: number): Script => {
  const frames = framesUntil(dialect, textCount);
  if (dialect === 'messages') {
    const events = toMessageEvents({ content: PIECES, model }).slice(0, frames);
    return streamMessageEvents([...events, toMessageError(529, { message: OVERLOADED })]);
  }
  if (dialect === 'responses') {
    const events = toResponseEvents({ text: PIECES, model }).slice(0, frames);
    return streamResponseEvents([...events, toFailedEvent(model, frames)]);
  }
  const chunks = toChatChunks({ content: PIECES, model }).slice(0, frames);
  return streamFrames([...chunks, CHAT_ERROR], { sendDone: false });
};

/**
 * Returns a script that sends the first `textCount` pieces of an answer and then ends the response
 * without the dialect's terminal event.
 */
const endAfter = ({ dialect, model }: Vendor, textCount: number): Script => {
  const frames = framesUntil(dialect, textCount);
  if (dialect === 'responses') {
    return streamResponseEvents(toResponseEvents({ text: PIECES, model }).slice(0, frames));
  }
  return dialect === 'messages'
    ? streamMessageEvents(toMessageEvents({ content: PIECES, model }).slice(0, frames))
    : streamFrames(toChatChunks({ content: PIECES, model }).slice(0, frames), { sendDone: false });
};

const cutAfter = ({ dialect }: Vendor, textCount: number): Script =>
  sendModelOutput(dialect, { text: PIECES }, { cutAfterTexts: textCount });

type BreakScript = (vendor: Vendor, textCount: number) => Script;

/** Ways in which a provider's stream can break off, and the message of the gateway's error. */
const BREAKS: readonly (readonly [name: string, toScript: BreakScript, errorMessage: string])[] = [
  ['an error', failAfter, 'The model provider broke its answer off with an error.'],
  ['a broken connection', cutAfter, 'The model provider broke the connection.'],
  ['an end without a terminal event', endAfter, 'The model provider broke its answer off.'],
];

describe('a stream that breaks off', () => {
  let setup: ClientSetup;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  describe.each(PAIRINGS)('seen from %s', (_title, pairing) => {
    const { vendor } = pairing;
    const { model } = vendor;

    it.each(BREAKS)(
      'is a bad gateway before the first text: %s',
      async (_name, toScript, errorMessage) => {
        const client = setup.clientOf(pairing);
        setup.script(toScript(vendor, 0));
        const pieces: string[] = [];
        const onText = (piece: string): void => void pieces.push(piece);
        const request = { model, streamed: true, turns: [{ user: 'Count.' }], onText };
        const failure = await failureOf(client, client.ask(request));
        expect(failure).toMatchObject({
          status: 502,
          message: expect.stringContaining(errorMessage),
        });
        expect(pieces).toEqual([]);
        await expectProven(setup, pairing, { finishReason: 'error' });
      },
    );

    it.each(BREAKS)('fails after the delivered part: %s', async (_name, toScript, errorMessage) => {
      const client = setup.clientOf(pairing);
      setup.script(toScript(vendor, 2));
      const pieces: string[] = [];
      const onText = (piece: string): void => void pieces.push(piece);
      const request = { model, streamed: true, turns: [{ user: 'Count.' }], onText };
      const failure = await failureOf(client, client.ask(request));
      // Within one dialect the gateway relays the vendor's error unchanged.
      const isPassedThrough = toScript === failAfter && !pairing.crossed;
      expect(failure.message).toContain(isPassedThrough ? OVERLOADED : errorMessage);
      expect(pieces.join('')).toBe('One, two, ');
      expect(setup.lastCall().status).toBe(200);
      await expectProven(setup, pairing, { finishReason: 'error' });
    });
  });
});
