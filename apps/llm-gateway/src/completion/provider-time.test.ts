import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createFakeProvider } from '../../test/fake-provider.ts';
import { openChain, openCompletions } from '../../test/open-completions.ts';
import {
  answerOf,
  chatFrames,
  streamCutError,
  DONE,
  failing,
  refusalOf,
  streamOf,
} from '../../test/provider-answers.ts';
import { findEvent } from '../../test/read-as-client.ts';
import { wireRequest } from '../../test/requests.ts';
import { ERROR as ERROR_FRAME, ROLE } from '../../test/stream-frames.ts';
import type { ProviderAnswer } from '../provider/provider.ts';

const STREAMED = wireRequest('chat-completions', { stream: true });

describe('providerMs', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const after = (ms: number, reply: () => ProviderAnswer) => (): ProviderAnswer => {
    jest.advanceTimersByTime(ms);
    return reply();
  };
  async function* yieldSlowly(ms: number, pieces: readonly string[], rest: readonly string[] = []) {
    yield* pieces;
    jest.advanceTimersByTime(ms);
    yield* rest;
  }
  async function* yieldSlowlyThenCut(ms: number, pieces: readonly string[]) {
    yield* yieldSlowly(ms, pieces);
    throw streamCutError();
  }

  it.each([
    ['refused', after(300, () => refusalOf(500))],
    ['failed', after(300, failing(streamCutError))],
    [
      'refused slowly',
      () => ({ ...refusalOf(500), body: answerOf(yieldSlowly(300, ['{}'])).body }),
    ],
    ['was cut inside a plain answer', () => answerOf(yieldSlowlyThenCut(300, ['{']))],
    ['was cut inside a refusal', () => answerOf(yieldSlowlyThenCut(300, ['{']), { status: 400 })],
    ['was cut before content', () => streamOf(yieldSlowly(300, [ROLE]))],
    ['ended in an error before content', () => streamOf(yieldSlowly(300, [ROLE], [ERROR_FRAME]))],
  ])('includes an earlier attempt that %s', async (_name, reply) => {
    const chain = openChain(
      reply,
      after(20, () => streamOf(chatFrames())),
    );
    const { events } = await chain.read(STREAMED);
    expect(findEvent(events, 'opened').providerMs).toBe(320);
  });

  it('ends at the first content of a stream, or at the end of a plain answer', async () => {
    const { events } = await openChain(
      after(20, () => streamOf(yieldSlowly(500, chatFrames()))),
    ).read(STREAMED);
    expect(findEvent(events, 'opened').providerMs).toBe(20);
    const plain = '{"choices":[{"index":0,"message":{"content":"hi"}}]}';
    const whole = await openChain(after(20, () => answerOf(yieldSlowly(500, [plain])))).read();
    expect(findEvent(whole.events, 'opened').providerMs).toBe(520);
  });

  it('excludes the wait for the ledger', async () => {
    const wait = async (): Promise<undefined> => {
      jest.advanceTimersByTime(1_000);
      return undefined;
    };
    const append = async (): Promise<string> => (await wait()) ?? 'pf_1';
    const ledger = { reserve: wait, append };
    for (const frames of [chatFrames(), [ROLE, DONE], [DONE]]) {
      const provider = createFakeProvider({ reply: after(20, () => streamOf(frames)) });
      const { read } = openCompletions({ providers: [provider], ledger });
      const { events } = await read(STREAMED);
      expect(findEvent(events, 'opened').providerMs).toBe(20);
    }
  });

  it('leaves no time for a fallback once the total timeout has expired', async () => {
    const chain = openChain(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          jest.advanceTimersByTime(5_000);
        }),
      undefined,
    );
    expect((await chain.read()).failure).toBe('PROVIDER_TIMEOUT pf_1');
    expect(chain.log).toEqual(['reserve ws_a pf_1 25000', 'send a', 'append pf_1 error']);
  });
});
