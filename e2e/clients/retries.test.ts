import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failMessageWith, failWith } from '@witan/testing';
import { anthropicClient } from './anthropic-client.ts';
import { expectProven } from './expect-proven.ts';
import { failureOf } from './failure-of.ts';
import { PAIRINGS } from './pairings.ts';
import type { Pairing } from './pairings.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import { openaiClient } from './openai-client.ts';
import { sendModelOutput } from './send-model-output.ts';

const isOfficial = ({ kind }: Pairing): boolean =>
  kind === openaiClient || kind === anthropicClient;
const isLangchain = ({ kind }: Pairing): boolean => kind.name.startsWith('@langchain');

/** Some clients read `retry-after-ms`; for the others the shortest wait is a second. */
const SHORT_RETRY_HEADERS = { 'retry-after-ms': '1', 'retry-after': '1' };

type Case = {
  title: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  isRetried: boolean;
  /** Returns whether the client of this pairing is tested in this case. */
  appliesTo: (pairing: Pairing) => boolean;
};

const CASES: readonly Case[] = [
  {
    title: 'a rate limit',
    status: 429,
    headers: SHORT_RETRY_HEADERS,
    isRetried: true,
    appliesTo: () => true,
  },
  {
    title: 'an overload',
    status: 529,
    headers: SHORT_RETRY_HEADERS,
    isRetried: true,
    // LangChain is excluded, because it waits for seconds before it retries this status.
    appliesTo: (pairing) => !isLangchain(pairing),
  },
  {
    title: 'an overload that must not be retried',
    status: 529,
    headers: { ...SHORT_RETRY_HEADERS, 'x-should-retry': 'false' },
    isRetried: false,
    appliesTo: isOfficial,
  },
  {
    title: 'a bad request that may be retried',
    status: 400,
    headers: { ...SHORT_RETRY_HEADERS, 'x-should-retry': 'true' },
    isRetried: true,
    appliesTo: isOfficial,
  },
  {
    title: 'a bad request',
    status: 400,
    headers: SHORT_RETRY_HEADERS,
    isRetried: false,
    appliesTo: () => true,
  },
  {
    title: 'a rate limit without a retry time',
    status: 429,
    headers: {},
    isRetried: false,
    appliesTo: isLangchain,
  },
];

const TEST_ROWS = CASES.flatMap((testCase) =>
  PAIRINGS.filter(([, pairing]) => testCase.appliesTo(pairing)).map(
    ([title, pairing]) => [testCase.title, title, testCase, pairing] as const,
  ),
);

describe('a client that may retry', () => {
  let setup: ClientSetup;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  it.each(TEST_ROWS)(
    'gets the retry advice of the provider: %s, from %s',
    async (_name, _title, testCase, pairing) => {
      const { model, dialect } = pairing.vendor;
      const { status, headers, isRetried } = testCase;
      const refusal =
        dialect === 'messages'
          ? failMessageWith(status, { headers })
          : failWith(status, { headers });
      const callsBefore = setup.fixture.calls().length;
      const before = (await setup.fixture.client.listCertificates()).length;
      const client = setup.clientOf(pairing, { maxRetries: 2 });
      setup.script(refusal);
      if (isRetried) setup.script(sendModelOutput(dialect, { text: ['Here.'] }));
      const call = client.ask({ model, turns: [{ user: 'Are you there?' }] });
      const outcome = await (isRetried ? call : failureOf(client, call));
      expect(outcome).toMatchObject(isRetried ? { text: 'Here.' } : { status });
      const usage = { input: 11, output: 7 };
      const ending = isRetried ? { finishReason: 'stop', usage } : { finishReason: 'error' };
      await expectProven(setup, pairing, ending);
      // The gateway does not retry: each retry is a new request of the client, with its own
      // certificate.
      const finishReasons = isRetried ? ['error', 'stop'] : ['error'];
      expect(setup.fixture.calls()).toHaveLength(callsBefore + finishReasons.length);
      const certificates = (await setup.fixture.client.listCertificates()).slice(before);
      expect(certificates.map(({ payload }) => payload.response.finishReason)).toEqual(
        finishReasons,
      );
    },
  );

  it.each(PAIRINGS.filter(([, pairing]) => isOfficial(pairing) && pairing.crossed))(
    'waits for the seconds that the provider advises, from %s',
    async (_title, pairing) => {
      const { model, dialect } = pairing.vendor;
      const headers = { 'retry-after': '1' };
      const refusal =
        dialect === 'messages' ? failMessageWith(429, { headers }) : failWith(429, { headers });
      setup.script(refusal, sendModelOutput(dialect, { text: ['Here.'] }));
      const startedAt = performance.now();
      const client = setup.clientOf(pairing, { maxRetries: 1 });
      await client.ask({ model, turns: [{ user: 'Are you there?' }] });
      // Without `retry-after` the client would retry after at most half a second.
      expect(performance.now() - startedAt).toBeGreaterThan(950);
    },
  );
});
