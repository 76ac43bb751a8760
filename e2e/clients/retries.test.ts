import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failMessageWith, failWith } from '@witan/testing';
import { anthropicClient } from './anthropic-client.ts';
import { expectProven } from './expect-proven.ts';
import { failureOf } from './failure-of.ts';
import { LANES } from './lanes.ts';
import type { Lane } from './lanes.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import { openaiClient } from './openai-client.ts';
import { sendSpeech } from './send-speech.ts';

const isOfficial = ({ kind }: Lane): boolean => kind === openaiClient || kind === anthropicClient;
const isLangchain = ({ kind }: Lane): boolean => kind.name.startsWith('@langchain');

/** Some clients read `retry-after-ms`; for the others the shortest wait is a second. */
const SOON = { 'retry-after-ms': '1', 'retry-after': '1' };

type Case = {
  what: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  triesAgain: boolean;
  /** Returns whether the case applies to this lane, because its client honours the headers. */
  readBy: (lane: Lane) => boolean;
};

const CASES: readonly Case[] = [
  { what: 'a rate limit', status: 429, headers: SOON, triesAgain: true, readBy: () => true },
  {
    what: 'an overload',
    status: 529,
    headers: SOON,
    triesAgain: true,
    // LangChain is excluded: it honours the headers, but waits for seconds.
    readBy: (lane) => !isLangchain(lane),
  },
  {
    what: 'an overload that is no reason to try again',
    status: 529,
    headers: { ...SOON, 'x-should-retry': 'false' },
    triesAgain: false,
    readBy: isOfficial,
  },
  {
    what: 'a bad request that may go better',
    status: 400,
    headers: { ...SOON, 'x-should-retry': 'true' },
    triesAgain: true,
    readBy: isOfficial,
  },
  { what: 'a bad request', status: 400, headers: SOON, triesAgain: false, readBy: () => true },
  {
    what: 'a rate limit without a word of when',
    status: 429,
    headers: {},
    triesAgain: false,
    readBy: isLangchain,
  },
];

const TABLE = CASES.flatMap((one) =>
  LANES.filter(([, lane]) => one.readBy(lane)).map(
    ([title, lane]) => [one.what, title, one, lane] as const,
  ),
);

describe('a client that may retry', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench('in-process');
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it.each(TABLE)(
    'gets the retry advice of the provider: %s, from %s',
    async (_w, _t, one, lane) => {
      const { model, dialect } = lane.vendor;
      const { status, headers, triesAgain } = one;
      const refusal =
        dialect === 'messages'
          ? failMessageWith(status, { headers })
          : failWith(status, { headers });
      const asked = bench.fixture.calls().length;
      const before = (await bench.fixture.client.listCertificates()).length;
      const client = bench.clientOf(lane, { maxRetries: 2 });
      bench.script(refusal);
      if (triesAgain) bench.script(sendSpeech(dialect, { text: ['Here.'] }));
      const call = client.ask({ model, turns: [{ user: 'Are you there?' }] });
      const outcome = await (triesAgain ? call : failureOf(client, call));
      expect(outcome).toMatchObject(triesAgain ? { text: 'Here.' } : { status });
      const usage = { input: 11, output: 7 };
      const ending = triesAgain ? { finishReason: 'stop', usage } : { finishReason: 'error' };
      await expectProven(bench, lane, ending);
      // The gateway does not retry: each retry is a new request of the client, with its own
      // certificate.
      const tries = triesAgain ? ['error', 'stop'] : ['error'];
      expect(bench.fixture.calls()).toHaveLength(asked + tries.length);
      const chain = (await bench.fixture.client.listCertificates()).slice(before);
      expect(chain.map(({ payload }) => payload.response.finishReason)).toEqual(tries);
    },
  );

  it.each(LANES.filter(([, lane]) => isOfficial(lane) && lane.crossed))(
    'waits for the seconds that the provider advises, from %s',
    async (_title, lane) => {
      const { model, dialect } = lane.vendor;
      const headers = { 'retry-after': '1' };
      const refusal =
        dialect === 'messages' ? failMessageWith(429, { headers }) : failWith(429, { headers });
      bench.script(refusal, sendSpeech(dialect, { text: ['Here.'] }));
      const started = performance.now();
      const client = bench.clientOf(lane, { maxRetries: 1 });
      await client.ask({ model, turns: [{ user: 'Are you there?' }] });
      // Without `retry-after` the client would retry after at most half a second.
      expect(performance.now() - started).toBeGreaterThan(950);
    },
  );
});
