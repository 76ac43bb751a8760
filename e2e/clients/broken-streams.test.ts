import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { streamFrames, streamMessageEvents, toMessageError, toMessageEvents } from '@witan/testing';
import { toChatChunks } from '@witan/testing';
import type { Script } from '@witan/testing';
import { expectProven } from './expect-proven.ts';
import { failureOf } from './failure-of.ts';
import { LANES } from './lanes.ts';
import type { Lane } from './lanes.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import { framesUntil, sendSpeech } from './send-speech.ts';

type Vendor = Lane['vendor'];

const PIECES = ['One, ', 'two, ', 'three.'];
const OVERLOADED = 'Too many people ask at once.';
const CHAT_ERROR = {
  error: { message: OVERLOADED, type: 'server_error', param: null, code: 'overloaded' },
};

/**
 * Returns a script that sends the first `texts` pieces of an answer, then an error of the vendor.
 */
const failAfter = ({ dialect, model }: Vendor, texts: number): Script => {
  const frames = framesUntil(dialect, texts);
  if (dialect === 'messages') {
    const events = toMessageEvents({ content: PIECES, model }).slice(0, frames);
    return streamMessageEvents([...events, toMessageError(529, { message: OVERLOADED })]);
  }
  const chunks = toChatChunks({ content: PIECES, model }).slice(0, frames);
  return streamFrames([...chunks, CHAT_ERROR], { sendDone: false });
};

/**
 * Returns a script that sends the first `texts` pieces of an answer and then ends the response
 * without the dialect's terminal event.
 */
const endAfter = ({ dialect, model }: Vendor, texts: number): Script => {
  const frames = framesUntil(dialect, texts);
  return dialect === 'messages'
    ? streamMessageEvents(toMessageEvents({ content: PIECES, model }).slice(0, frames))
    : streamFrames(toChatChunks({ content: PIECES, model }).slice(0, frames), { sendDone: false });
};

const cutAfter = ({ dialect }: Vendor, texts: number): Script =>
  sendSpeech(dialect, { text: PIECES }, { cutAfterTexts: texts });

type Break = (vendor: Vendor, texts: number) => Script;

/** Ways in which a provider's stream can break off, and the message of the gateway's error. */
const BREAKS: readonly (readonly [name: string, breakOff: Break, finishNames: string])[] = [
  ['an error', failAfter, 'The model provider broke its answer off with an error.'],
  ['a broken connection', cutAfter, 'The model provider broke the connection.'],
  ['an end that is none', endAfter, 'The model provider broke its answer off.'],
];

describe('a stream that breaks off', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench('in-process');
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  describe.each(LANES)('seen from %s', (_title, lane) => {
    const { vendor } = lane;
    const { model } = vendor;

    it.each(BREAKS)(
      'is a bad gateway before the first text: %s',
      async (_way, breakOff, finishNames) => {
        const client = bench.clientOf(lane);
        bench.script(breakOff(vendor, 0));
        const pieces: string[] = [];
        const onText = (piece: string): void => void pieces.push(piece);
        const request = { model, streamed: true, turns: [{ user: 'Count.' }], onText };
        const failure = await failureOf(client, client.ask(request));
        expect(failure).toMatchObject({
          status: 502,
          message: expect.stringContaining(finishNames),
        });
        expect(pieces).toEqual([]);
        await expectProven(bench, lane, { finishReason: 'error' });
      },
    );

    it.each(BREAKS)('fails after the delivered part: %s', async (_way, breakOff, finishNames) => {
      const client = bench.clientOf(lane);
      bench.script(breakOff(vendor, 2));
      const pieces: string[] = [];
      const onText = (piece: string): void => void pieces.push(piece);
      const request = { model, streamed: true, turns: [{ user: 'Count.' }], onText };
      const failure = await failureOf(client, client.ask(request));
      // Within one dialect the gateway relays the vendor's error unchanged.
      const isPassedThrough = breakOff === failAfter && !lane.crossed;
      expect(failure.message).toContain(isPassedThrough ? OVERLOADED : finishNames);
      expect(pieces.join('')).toBe('One, two, ');
      expect(bench.lastCall().status).toBe(200);
      await expectProven(bench, lane, { finishReason: 'error' });
    });
  });
});
