import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import { answerMessageWith, answerWith, eventually } from '@witan/testing';
import type { Script } from '@witan/testing';
import OpenAI from 'openai';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectChatRefusal, expectMessageRefusal } from './expect-refusal.ts';
import { CHAT, MESSAGE_PING, MESSAGES, PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { METERED, openAccounts } from './open-accounts.ts';
import type { Accounts, Member } from './open-accounts.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { expectConsistentLedger } from './ledger-audit.ts';

const EMPTY_BALANCE_ERROR = { status: 402, type: 'insufficient_quota', code: 'insufficient_quota' };
const RESERVED_BALANCE_ERROR = { status: 429, type: 'rate_limit_error', code: 'balance_held' };

/** Messages as JSON text with unusual spaces and escapes, which re-serialization would change. */
const MESSAGES_TEXT = `"messages":[ {"role":"user","content":"\\u0070ing"}]`;

const expectEmptyInChat = (answer: Answer): void => expectChatRefusal(answer, EMPTY_BALANCE_ERROR);
const expectLimitInMessages = (answer: Answer): void =>
  expectMessageRefusal(answer, { status: 429, type: 'rate_limit_error' });
const expectReservedInChat = (answer: Answer): void =>
  expectChatRefusal(answer, RESERVED_BALANCE_ERROR);

type ExpectRefusal = (answer: Answer) => void;

/**
 * Name, path, body, and the checks of the refusal if the balance is empty and if another call has
 * reserved it.
 */
const CALLS: [string, string, object, ExpectRefusal, ExpectRefusal][] = [
  ['chat completions', CHAT, PING, expectEmptyInChat, expectReservedInChat],
  ['messages', MESSAGES, MESSAGE_PING, expectLimitInMessages, expectLimitInMessages],
];

describe.each(TRANSPORTS)('an insufficient balance, services over %s', (transport) => {
  let fixture: Fixture;
  let accounts: Accounts;
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    fixture = await openFixture({ transport, env: METERED });
    accounts = await openAccounts(fixture);
    expectDocumented = await createExpectDocumented(fixture.client);
  });
  afterAll(async () => {
    await accounts[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  /**
   * Starts a call that reserves the whole balance. The returned `end` lets the provider answer and
   * resolves with the response.
   */
  const reserveAll = async (member: Member): Promise<{ end: () => Promise<Answer> }> => {
    const callNumber = fixture.provider.requests.length + 1;
    const { promise: after, resolve } = Promise.withResolvers<void>();
    fixture.provider.script(answerWith({}, { after }));
    const answer = member.client.complete(PING);
    await fixture.provider.whenRequest(callNumber);
    const { posted, held } = await member.balance();
    expect(held).toBe(posted);
    const end = (): Promise<Answer> => {
      resolve();
      return answer;
    };
    return { end };
  };

  describe.each(CALLS)('in %s', (_dialect, path, body, expectEmpty, expectReserved) => {
    it.each([
      ['plain', false],
      ['streamed', true],
    ])('refuses a %s call before egress if it is empty', async (_form, stream) => {
      const member = await accounts.createMember();
      const before = fixture.calls().length;
      const answer = await member.client.send(path, { body: { ...body, stream } });
      expectEmpty(answer);
      expectDocumented(answer, `POST ${path}`);
      const { headers } = answer;
      expect([headers.get('x-should-retry'), headers.has('retry-after')]).toEqual(['false', false]);
      expect(fixture.calls()).toHaveLength(before);
      expect(await member.client.listCertificates()).toEqual([]);
      expect([(await member.balance()).held, await member.entries()]).toEqual([0, []]);
    });

    it("refuses a call if it is below the prompt's estimate, and accepts it after a credit", async () => {
      const member = await accounts.createMember({ credit: 5 });
      expectEmpty(await member.client.send(path, { body }));
      expect(await member.balance()).toMatchObject({ posted: 5, held: 0 });
      await accounts.credit(1_000, member.workspaceId);
      expect((await member.client.send(path, { body })).status).toBe(200);
    });

    it.each([
      ['plain', false],
      ['streamed', true],
    ])('asks a %s call to retry later if it is reserved', async (_form, stream) => {
      const member = await accounts.createMember({ credit: 1_000 });
      const { end } = await reserveAll(member);
      const before = fixture.calls().length;
      const answer = await member.client.send(path, { body: { ...body, stream } });
      expectReserved(answer);
      expectDocumented(answer, `POST ${path}`);
      const { headers } = answer;
      expect([headers.get('retry-after'), headers.has('x-should-retry')]).toEqual(['1', false]);
      expect(fixture.calls()).toHaveLength(before);
      expect((await end()).status).toBe(200);
      expect((await member.client.send(path, { body: { ...body, stream } })).status).toBe(200);
      expect(await member.client.listCertificates()).toHaveLength(2);
    });
  });

  it('affects only its own workspace', async () => {
    const [emptyMember, reservingMember, solventMember] = [
      await accounts.createMember(),
      await accounts.createMember({ credit: 1_000 }),
      await accounts.createMember({ credit: 1_000 }),
    ];
    const { end } = await reserveAll(reservingMember);
    const answers = [emptyMember, reservingMember, solventMember].map(({ client }) =>
      client.complete(PING),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([402, 429, 200]);
    expect((await end()).status).toBe(200);
  });

  it('is overcome by the retries of the official client if it is reserved', async () => {
    const member = await accounts.createMember({ credit: 1_000 });
    const { end } = await reserveAll(member);
    const client = new OpenAI({
      baseURL: `${fixture.system.baseUrl}/v1`,
      apiKey: member.apiKey,
      maxRetries: 5,
    });
    const pendingAnswer = client.chat.completions.create({
      model: PING.model,
      messages: [{ role: 'user', content: 'ping' }],
    });
    await eventually(
      async () =>
        fixture.system.logLines
          .map((text) => JSON.parse(text) as { workspaceId?: string; status?: number })
          .find((one) => one.workspaceId === member.workspaceId && one.status === 429),
      'the first refusal',
    );
    expect((await end()).status).toBe(200);
    expect((await pendingAnswer).choices[0]!.message.content).toBe('pong');
    expect(await member.balance()).toMatchObject({ posted: 1_000 - 8, held: 0 });
  });

  it('ends the call of the official client at once if it is empty', async () => {
    const { apiKey } = await accounts.createMember();
    const client = new OpenAI({ baseURL: `${fixture.system.baseUrl}/v1`, apiKey, maxRetries: 5 });
    const pendingAnswer = client.chat.completions.create({
      model: PING.model,
      messages: [{ role: 'user', content: 'ping' }],
    });
    await expect(pendingAnswer).rejects.toMatchObject({ status: 402, code: 'insufficient_quota' });
  });

  it('ends the call of the messages client, which reads a 429, at once if it is empty', async () => {
    const { apiKey, workspaceId } = await accounts.createMember();
    const client = new Anthropic({ baseURL: fixture.system.baseUrl, apiKey, maxRetries: 5 });
    const pendingAnswer = client.messages.create({
      model: MESSAGE_PING.model,
      max_tokens: MESSAGE_PING.max_tokens,
      messages: [{ role: 'user', content: 'ping' }],
    });
    await expect(pendingAnswer).rejects.toMatchObject({ status: 429 });
    const requestLogs = fixture.system.logLines
      .map((text) => JSON.parse(text) as { workspaceId?: string; path?: string })
      .filter((one) => one.workspaceId === workspaceId && one.path === MESSAGES);
    expect(requestLogs).toHaveLength(1);
  });

  describe('above zero', () => {
    const CREDIT = 100;
    type ClampCase = [string, string, Record<string, unknown>, string, Script];
    const answerShort = answerWith();
    const CLAMP_CASES: ClampCase[] = [
      ['max_tokens', CHAT, { ...PING, max_tokens: 5_000 }, 'max_tokens', answerShort],
      [
        'max_completion_tokens',
        CHAT,
        { ...PING, max_completion_tokens: 5_000 },
        'max_completion_tokens',
        answerShort,
      ],
      [
        'max_tokens in the messages dialect',
        MESSAGES,
        { ...MESSAGE_PING, max_tokens: 5_000 },
        'max_tokens',
        answerMessageWith(),
      ],
      [
        'max_tokens of a message for a provider of chat completions',
        MESSAGES,
        { ...MESSAGE_PING, model: 'gpt-test', max_tokens: 5_000 },
        'max_completion_tokens',
        answerShort,
      ],
      [
        'max_tokens of a completion for a provider of messages',
        CHAT,
        { ...PING, model: 'claude-test', max_tokens: 5_000 },
        'max_tokens',
        answerMessageWith(),
      ],
    ];

    /**
     * Returns the number of tokens that a call reserves for its prompt: its reservation minus the
     * output limit of each answer.
     */
    const measurePromptTokens = async (
      path: string,
      body: object,
      answers = 1,
    ): Promise<number> => {
      const member = await accounts.createMember({ credit: 1_000_000 });
      const { held, sent } = await measureReservation(member, path, body);
      return held - answers * Number(sent.max_completion_tokens ?? sent.max_tokens);
    };

    /**
     * Makes a call. Returns its response, the tokens reserved during the call, and the body that
     * the provider received.
     */
    const measureReservation = async (member: Member, path: string, body: object) => {
      const callNumber = fixture.provider.requests.length + 1;
      const { promise: after, resolve } = Promise.withResolvers<void>();
      const isClaude = (body as { model: string }).model === 'claude-test';
      fixture.provider.script(
        isClaude ? answerMessageWith({}, { after }) : answerWith({}, { after }),
      );
      const pendingAnswer = member.client.send(path, { body });
      const { parsed } = await fixture.provider.whenRequest(callNumber);
      const { held } = await member.balance();
      resolve();
      return { held, sent: parsed as Record<string, unknown>, answer: await pendingAnswer };
    };

    it.each(CLAMP_CASES)('lowers %s, and the call succeeds', async (_name, path, body, name) => {
      const prompt = await measurePromptTokens(path, body);
      const member = await accounts.createMember({ credit: CREDIT });
      const { held, sent, answer } = await measureReservation(member, path, body);
      expect([answer.status, held, sent[name]]).toEqual([200, CREDIT, CREDIT - prompt]);
      expect(await member.balance()).toMatchObject({ posted: CREDIT - 4, held: 0 });
    });

    it('accepts a call that fits exactly, and refuses it with one token less', async () => {
      const body = { ...PING, max_tokens: 5_000 };
      const prompt = await measurePromptTokens(CHAT, body);
      const memberWithEnough = await accounts.createMember({ credit: prompt + 1 });
      expect((await measureReservation(memberWithEnough, CHAT, body)).sent).toMatchObject({
        max_tokens: 1,
      });
      const memberWithTooLittle = await accounts.createMember({ credit: prompt });
      expectChatRefusal(await memberWithTooLittle.client.complete(body), EMPTY_BALANCE_ERROR);
    });

    it('is shared among the answers that a call requests', async () => {
      const body = { ...PING, n: 3, max_tokens: 5_000 };
      const prompt = await measurePromptTokens(CHAT, body, 3);
      expect(prompt).toBeLessThan(100);
      const member = await accounts.createMember({ credit: prompt + 301 });
      const { sent, answer } = await measureReservation(member, CHAT, body);
      expect([answer.status, sent['n'], sent['max_tokens']]).toEqual([200, 3, 100]);
      const memberWithTooLittle = await accounts.createMember({ credit: prompt + 2 });
      expectChatRefusal(await memberWithTooLittle.client.complete(body), EMPTY_BALANCE_ERROR);
    });

    it('changes only the output limit of the request', async () => {
      const text = `{ "model":"gpt-test", "x":1.0, "max_tokens" : 5000, ${MESSAGES_TEXT}}`;
      const { client } = await accounts.createMember({ credit: CREDIT });
      const callNumber = fixture.provider.requests.length + 1;
      expect((await client.complete(text)).status).toBe(200);
      const { body } = await fixture.provider.whenRequest(callNumber);
      expect(body.toString().replace(/"max_tokens" : \d+/, '"max_tokens" : 5000')).toBe(text);
    });

    it('adds a limit to a call without one, and the certificate commits to the sent body', async () => {
      const { client } = await accounts.createMember({ credit: 1_000_000 });
      const callNumber = fixture.provider.requests.length + 1;
      const answer = await client.complete(PING);
      const { parsed, body } = await fixture.provider.whenRequest(callNumber);
      expect(parsed).toEqual({ ...PING, max_completion_tokens: 16_000 });
      const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(body));
      const { payload } = await client.certificateOf(answer);
      expect(payload.egress.sha256).toBe(Buffer.from(digest).toString('hex'));
    });
  });

  it('is consistent after all tests', async () => {
    await expectConsistentLedger(fixture.system);
  });
});

describe.each(TRANSPORTS)('an unmetered system, services over %s', (transport) => {
  it('leaves the bytes of a call without a limit unchanged', async () => {
    await using fixture = await openFixture({ transport });
    const text = `{ "model":"gpt-test", ${MESSAGES_TEXT}, "x":1.0}`;
    expect((await fixture.client.complete(text)).status).toBe(200);
    expect(fixture.calls()[0]!.body.toString()).toBe(text);
  });
});
