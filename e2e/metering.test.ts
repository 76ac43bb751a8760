import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  answerMessageWith,
  answerWith,
  createGate,
  cutMidBody,
  eventually,
  failMessageWith,
  failWith,
  streamFrames,
  toChatChunks,
} from '@witan/testing';
import type { Script } from '@witan/testing';
import { CHAT, MESSAGE_PING, MESSAGES, PING, RESPONSE_PING, RESPONSES } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { METERED, openAccounts, sumAmounts } from './open-accounts.ts';
import type { Account, Accounts, Member } from './open-accounts.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { expectConsistentLedger } from './ledger-audit.ts';

const LARGE_CREDIT = 1_000_000;

type ProviderDialect = 'chat' | 'messages';

/**
 * Number of tokens that are reserved in addition for reasoning, if a call of another dialect is
 * translated to the messages dialect.
 */
const REASONING_TOKENS = 8_000;

/**
 * All combinations of client dialect and provider dialect; the last member is the number of tokens
 * that is reserved for reasoning.
 */
const CALLS: [string, string, object, ProviderDialect, reasoningTokens: number][] = [
  ['of chat completions', CHAT, { ...PING, max_tokens: 64 }, 'chat', 0],
  ['of messages', MESSAGES, MESSAGE_PING, 'messages', 0],
  [
    'of chat completions for a provider of messages',
    CHAT,
    { ...MESSAGE_PING },
    'messages',
    REASONING_TOKENS,
  ],
  [
    'of messages for a provider of chat completions',
    MESSAGES,
    { ...MESSAGE_PING, model: 'gpt-test' },
    'chat',
    0,
  ],
  [
    'of responses for a provider of chat completions',
    RESPONSES,
    { ...RESPONSE_PING, max_output_tokens: 64 },
    'chat',
    0,
  ],
  [
    'of responses for a provider of messages',
    RESPONSES,
    { ...RESPONSE_PING, model: 'claude-test', max_output_tokens: 64 },
    'messages',
    REASONING_TOKENS,
  ],
];

/** Returns a script that answers with these token counts in the provider's dialect. */
const answerWithUsage = (
  providerDialect: ProviderDialect,
  prompt: number,
  completion: number,
): Script =>
  providerDialect === 'chat'
    ? answerWith({
        usage: {
          prompt_tokens: prompt,
          completion_tokens: completion,
          total_tokens: prompt + completion,
        },
      })
    : answerMessageWith({ usage: { input_tokens: prompt, output_tokens: completion } });

const answerAfter = (providerDialect: ProviderDialect, after: Promise<unknown>): Script =>
  providerDialect === 'chat' ? answerWith({}, { after }) : answerMessageWith({}, { after });

const createLatch = (): { after: Promise<void>; open: () => void } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { after: promise, open: resolve };
};

describe.each(TRANSPORTS)('charges of calls, services over %s', (transport) => {
  let fixture: Fixture;
  let accounts: Accounts;

  beforeAll(async () => {
    fixture = await openFixture({ transport, env: METERED });
    accounts = await openAccounts(fixture);
  });
  afterAll(async () => {
    await accounts[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  /** Waits until no tokens of the account are reserved; returns its balance. */
  const untilNothingReserved = ({ balance }: Account): Promise<number> =>
    eventually(async () => {
      const { held, posted } = await balance();
      return held === 0 ? posted : undefined;
    }, 'the end of every reservation');

  /** Returns the total tokens of all certificates of the account's workspace. */
  const sumCertifiedTokens = async ({ client }: Account): Promise<number> =>
    (await client.listCertificates()).reduce(
      (total, { payload }) => total + payload.response.usage.totalTokens,
      0,
    );

  describe.each(CALLS)('a call %s', (_call, path, body, providerDialect, reasoningTokens) => {
    it.each([
      ['plain', false],
      ['streamed', true],
    ])('costs what its certificate contains, %s', async (_form, stream) => {
      const member = await accounts.createMember({ credit: LARGE_CREDIT });
      fixture.provider.script(answerWithUsage(providerDialect, 31, 17));
      const answer = await member.client.send(path, { body: { ...body, stream } });
      expect(answer.status).toBe(200);
      // The balance is final here: the charge is committed with the certificate, before the
      // response ends.
      const balance = await member.balance();
      const { usage } = (await member.client.certificateOf(answer)).payload.response;
      expect(usage).toMatchObject({ promptTokens: 31, completionTokens: 17, totalTokens: 48 });
      expect(balance).toMatchObject({
        posted: LARGE_CREDIT - 48,
        held: 0,
        available: LARGE_CREDIT - 48,
      });
      expect(sumAmounts(await member.entries(), 'usage')).toBe(48);
    });

    it('records an overrun if it uses more than it reserved', async () => {
      const member = await accounts.createMember({ credit: LARGE_CREDIT });
      fixture.provider.script(answerWithUsage(providerDialect, reasoningTokens + 5_000, 64));
      const answer = await member.client.send(path, { body });
      const entries = await member.entries();
      expect(entries.map(({ kind }) => kind).toSorted()).toEqual(['credit', 'overrun', 'usage']);
      expect(sumAmounts(entries, 'usage', 'overrun')).toBe(reasoningTokens + 5_064);
      const certificateId = answer.headers.get('x-service-proof');
      for (const { kind, certificateId: named } of entries) {
        expect([kind, named]).toEqual([kind, kind === 'credit' ? null : certificateId]);
      }
      expect(await member.balance()).toMatchObject({
        posted: LARGE_CREDIT - reasoningTokens - 5_064,
        held: 0,
      });
    });

    it('reserves the maximum that it may use while it runs', async () => {
      const member = await accounts.createMember({ credit: LARGE_CREDIT });
      const [number, latch] = [fixture.provider.requests.length + 1, createLatch()];
      fixture.provider.script(answerAfter(providerDialect, latch.after));
      const answer = member.client.send(path, { body });
      await fixture.provider.whenRequest(number);
      const { held, posted, available } = await member.balance();
      expect([posted, available]).toEqual([LARGE_CREDIT, LARGE_CREDIT - held]);
      // The reservation covers the maximum of answer and reasoning, and about twenty tokens for the
      // prompt.
      expect(held).toBeGreaterThan(reasoningTokens + 64 + 10);
      expect(held).toBeLessThan(reasoningTokens + 64 + 40);
      latch.open();
      expect((await answer).status).toBe(200);
      expect(await member.balance()).toMatchObject({ posted: LARGE_CREDIT - 4, held: 0 });
    });

    it.each<[number, number]>([
      [400, 400],
      [401, 502],
      [429, 429],
      [500, 500],
      [503, 503],
    ])('costs nothing if its provider refuses with %i', async (status, providerStatus) => {
      const member = await accounts.createMember({ credit: 500 });
      fixture.provider.script(
        providerDialect === 'chat' ? failWith(status) : failMessageWith(status),
      );
      const answer = await member.client.send(path, { body });
      expect(answer.status).toBe(providerStatus);
      const { usage } = (await member.client.certificateOf(answer)).payload.response;
      expect(usage).toMatchObject({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });
      expect(await member.balance()).toMatchObject({ posted: 500, held: 0 });
      expect((await member.entries()).map(({ kind }) => kind)).toEqual(['credit']);
    });

    /**
     * Aborts a streamed call after its first piece of text; returns the response part of its
     * certificate, and the balance.
     */
    const abortDuringStream = async (member: Member) => {
      const callNumber = fixture.provider.requests.length + 1;
      fixture.provider.script(stallAfterFirstText(providerDialect));
      const controller = new AbortController();
      const init = { body: { ...body, stream: true }, signal: controller.signal };
      const response = await member.client.open(path, init);
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ''; !text.includes(FIRST_TEXT);) text += (await reader.read()).value;
      expect((await member.balance()).held).toBeGreaterThan(64);
      controller.abort();
      await fixture.provider.whenAborted(callNumber);
      const posted = await untilNothingReserved(member);
      const [certificate] = await member.client.listCertificates();
      return { posted, answer: certificate!.payload.response };
    };

    it('costs what was produced if its client disconnects', async () => {
      const { posted, answer } = await abortDuringStream(
        await accounts.createMember({ credit: LARGE_CREDIT }),
      );
      const { finishReason, usage } = answer;
      expect([finishReason, usage.estimated]).toEqual(['aborted', true]);
      expect(usage.completionTokens).toBeGreaterThanOrEqual(Math.ceil(FIRST_TEXT.length / 4));
      expect(usage.completionTokens).toBeLessThanOrEqual(64);
      expect(posted).toBe(LARGE_CREDIT - usage.totalTokens);
    });

    it('costs only its text if its client disconnects', async () => {
      const { answer } = await abortDuringStream(
        await accounts.createMember({ credit: LARGE_CREDIT }),
      );
      expect(answer.usage.completionTokens).toBe(Math.ceil(FIRST_TEXT.length / 4));
    });
  });

  it.each<[string, object, Script]>([
    ['inside a plain body', PING, cutMidBody()],
    [
      'inside a stream',
      { ...PING, stream: true },
      streamFrames(toChatChunks({ content: 'so far' }), { cutAfter: 2 }),
    ],
    ['with text that is not JSON', PING, async ({ response }) => void response.end('<html>')],
  ])(
    'are what the certificate contains if the provider breaks off %s',
    async (_how, body, script) => {
      const member = await accounts.createMember({ credit: LARGE_CREDIT });
      fixture.provider.script(script);
      await member.client.complete(body);
      const posted = await untilNothingReserved(member);
      const cost = await sumCertifiedTokens(member);
      expect([cost > 0, posted]).toEqual([true, LARGE_CREDIT - cost]);
    },
  );

  it('are zero for counting tokens, lists and refused bodies', async () => {
    const member = await accounts.createMember({ credit: 500 });
    const { client } = member;
    await client.send('/v1/messages/count_tokens', { body: MESSAGE_PING });
    await client.send('/v1/models');
    await client.complete('{');
    await client.complete({ ...PING, model: 'debate:x' });
    expect(await member.balance()).toMatchObject({ posted: 500, held: 0 });
  });

  it('are made once for all tries of an idempotent call', async () => {
    const member = await accounts.createMember({ credit: 500 });
    const headers = {
      authorization: `Bearer ${member.apiKey}`,
      'idempotency-key': `charged-once-${transport}`,
    };
    const answers: Answer[] = [];
    for (let time = 0; time < 3; time += 1) {
      answers.push(await member.client.complete(PING, { headers }));
    }
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await member.balance()).posted).toBe(496);
  });

  describe('for usage beyond the reservation', () => {
    /** Makes a call whose provider reports more tokens than were reserved. */
    const completeBeyondReservation = async (
      member: Member,
      max_tokens: number,
      used: number,
    ): Promise<void> => {
      fixture.provider.script(answerWithUsage('chat', used, 0));
      const answer = await member.client.complete({ ...PING, max_tokens });
      expect(answer.status).toBe(200);
      const { usage } = (await member.client.certificateOf(answer)).payload.response;
      expect(usage.totalTokens).toBe(used);
    };

    it('are zero if the call had reserved the whole balance', async () => {
      const member = await accounts.createMember({ credit: 100 });
      await completeBeyondReservation(member, 5_000, 1_000);
      expect(await member.balance()).toMatchObject({ posted: 0, held: 0, available: 0 });
      const entries = await member.entries();
      expect([sumAmounts(entries, 'usage'), sumAmounts(entries, 'overrun')]).toEqual([100, 0]);
    });

    it('are limited by the free balance', async () => {
      const member = await accounts.createMember({ credit: 100 });
      await completeBeyondReservation(member, 10, 1_000);
      expect(await member.balance()).toMatchObject({ posted: 0, held: 0 });
      const entries = await member.entries();
      expect(sumAmounts(entries, 'overrun')).toBeGreaterThan(0);
      expect(sumAmounts(entries, 'usage', 'overrun')).toBe(100);
    });

    it('never use tokens that another call reserved', async () => {
      const member = await accounts.createMember({ credit: 100 });
      const [number, latch] = [fixture.provider.requests.length + 1, createLatch()];
      fixture.provider.script(answerAfter('chat', latch.after));
      const first = member.client.complete({ ...PING, max_tokens: 10 });
      await fixture.provider.whenRequest(number);
      const { held } = await member.balance();
      await completeBeyondReservation(member, 10, 1_000);
      expect(await member.balance()).toMatchObject({ posted: held, held, available: 0 });
      latch.open();
      expect((await first).status).toBe(200);
      expect(await member.balance()).toMatchObject({ posted: held - 4, held: 0 });
    });

    it('are recorded without a payer if the usage is implausible', async () => {
      const member = await accounts.createMember({ credit: LARGE_CREDIT });
      fixture.provider.script(answerWithUsage('chat', 2 ** 40, 1));
      const answer = await member.client.complete(PING);
      const { usage } = (await member.client.certificateOf(answer)).payload.response;
      // The gateway replaces implausible token counts by an estimate.
      expect(usage).toMatchObject({ estimated: true });
      expect((await member.balance()).posted).toBe(LARGE_CREDIT - usage.totalTokens);
    });
  });

  it('are consistent after all tests', async () => {
    await expectConsistentLedger(fixture.system);
  });
});

/** First piece of text of a stream that stalls after it. */
const FIRST_TEXT = 'remarkable';

/** Number of frames up to and including the first piece of text, by the provider's dialect. */
const FIRST_TEXT_FRAMES: Record<ProviderDialect, number> = { chat: 2, messages: 4 };

const stallAfterFirstText = (providerDialect: ProviderDialect): Script => {
  const gate = createGate();
  gate.release(FIRST_TEXT_FRAMES[providerDialect]);
  const content = [FIRST_TEXT, ' and', ' more'];
  return providerDialect === 'chat'
    ? answerWith({ content }, { gate })
    : answerMessageWith({ content }, { gate });
};
