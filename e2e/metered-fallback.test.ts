import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Certificate } from '@witan/proof';
import {
  answerMessageWith,
  answerWith,
  cutBeforeHeaders,
  cutMidBody,
  failMessageWith,
  failWith,
} from '@witan/testing';
import type { Script } from '@witan/testing';
import { expectChatRefusal } from './expect-refusal.ts';
import { PING } from './http-client.ts';
import { accountOf, METERED, openAccounts } from './open-accounts.ts';
import type { Account, Accounts } from './open-accounts.ts';
import { DOWN, FIRST, openFallbackChain, SECOND } from './open-fallback-chain.ts';
import type { FallbackChain } from './open-fallback-chain.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { expectConsistentLedger } from './ledger-audit.ts';

const CREDIT = 100_000;
const REQUEST_BODY = { ...PING, model: 'chain', max_tokens: 64 };

const costOf = (payloads: readonly Certificate['payload'][]): number[] =>
  payloads.map(({ response }) => response.usage.totalTokens);

describe.each(TRANSPORTS)('charges of a fallback chain, services over %s', (transport) => {
  let chain: FallbackChain;
  let accounts: Accounts;
  let ownAccount: Account;

  beforeAll(async () => {
    chain = await openFallbackChain({ transport, env: METERED });
    accounts = await openAccounts(chain);
    ownAccount = accountOf(chain.client);
    await accounts.credit(CREDIT);
  });
  afterAll(async () => {
    await accounts[Symbol.asyncDispose]();
    await chain[Symbol.asyncDispose]();
  });

  const usage = { input_tokens: 20, output_tokens: 10 };

  it.each<[string, Script, (cost: number) => boolean]>([
    ['refuses with 429', failWith(429), (cost) => cost === 0],
    ['refuses with 500', failWith(500), (cost) => cost === 0],
    // A provider that received the request may have processed it, so estimated tokens are charged.
    ['cuts its answer off', cutMidBody(), (cost) => cost > 0],
    ['cuts before its answer', cutBeforeHeaders(), (cost) => cost > 0],
  ])('are per attempt if the first target %s', async (_how, script, isRight) => {
    await chain.putProviders();
    await chain.setTargets(FIRST, SECOND);
    chain.first.script(script);
    chain.second.script(answerMessageWith({ usage }));
    const before = await ownAccount.balance();
    const [answer, certified] = await chain.callAndListCertificates(() =>
      chain.client.complete(REQUEST_BODY),
    );
    expect(answer.status).toBe(200);
    const [lostCost, answeredCost] = costOf(certified);
    expect([certified.length, isRight(lostCost!), answeredCost]).toEqual([2, true, 30]);
    expect(await ownAccount.balance()).toMatchObject({
      posted: before.posted - lostCost! - 30,
      held: 0,
    });
    const newEntries = (await ownAccount.entries()).slice(0, lostCost! > 0 ? 2 : 1);
    const ids = certified.map(({ id }) => id).filter((_id, index) => index > 0 || lostCost! > 0);
    expect(newEntries.map(({ certificateId }) => certificateId)).toEqual(ids.toReversed());
  });

  it('are zero if all targets refuse', async () => {
    await chain.putProviders();
    await chain.setTargets(FIRST, SECOND);
    chain.first.script(failWith(503));
    chain.second.script(failMessageWith(529));
    const before = await ownAccount.balance();
    const [, certified] = await chain.callAndListCertificates(() =>
      chain.client.complete(REQUEST_BODY),
    );
    expect([costOf(certified), await ownAccount.balance()]).toEqual([[0, 0], before]);
  });

  it('are zero for a provider that cannot be reached', async () => {
    await chain.putProviders();
    await chain.setTargets(DOWN, FIRST);
    chain.first.script(answerWith());
    const before = await ownAccount.balance();
    const [answer, certified] = await chain.callAndListCertificates(() =>
      chain.client.complete(REQUEST_BODY),
    );
    expect([answer.status, costOf(certified)]).toEqual([200, [4]]);
    expect(await ownAccount.balance()).toMatchObject({ posted: before.posted - 4, held: 0 });
  });

  it.each([
    ['plain', false],
    ['streamed', true],
  ])('are zero for a %s call if no target can be reached', async (_f, stream) => {
    await chain.putProviders();
    await chain.setTargets(DOWN);
    const before = await ownAccount.balance();
    const [answer, certified] = await chain.callAndListCertificates(() =>
      chain.client.complete({ ...REQUEST_BODY, stream }),
    );
    expect([answer.status, answer.headers.has('x-service-proof'), certified]).toEqual([
      502,
      false,
      [],
    ]);
    expect(await ownAccount.balance()).toEqual(before);
  });

  it('are prevented by an empty or fully reserved balance', async () => {
    await chain.putProviders();
    await chain.setTargets(FIRST, SECOND);
    // This call reserves the whole balance and then uses all of it.
    const { promise: after, resolve } = Promise.withResolvers<void>();
    const callNumber = chain.first.requests.length + 1;
    const { posted } = await ownAccount.balance();
    const fullUsage = { prompt_tokens: posted, completion_tokens: 0, total_tokens: posted };
    chain.first.script(answerWith({ usage: fullUsage }, { after }));
    // The estimate for this prompt (four characters per token) is slightly below the balance.
    const content = 'x'.repeat(4 * (posted - 100));
    const pendingAnswer = chain.client.complete({
      ...REQUEST_BODY,
      messages: [{ role: 'user', content }],
    });
    await chain.first.whenRequest(callNumber);
    const [reservedAnswer, reservedCounts] = await chain.callAndCountRequests(() =>
      chain.client.complete(REQUEST_BODY),
    );
    const reservedError = { status: 429, type: 'rate_limit_error', code: 'balance_held' };
    expectChatRefusal(reservedAnswer, reservedError);
    expect(reservedCounts).toEqual([0, 0]);
    resolve();
    expect((await pendingAnswer).status).toBe(200);
    expect(await ownAccount.balance()).toMatchObject({ posted: 0, held: 0 });
    const [emptyAnswer, emptyCounts] = await chain.callAndCountRequests(() =>
      chain.client.complete(REQUEST_BODY),
    );
    const emptyError = { status: 402, type: 'insufficient_quota', code: 'insufficient_quota' };
    expectChatRefusal(emptyAnswer, emptyError);
    expect(emptyCounts).toEqual([0, 0]);
  });

  it('are consistent after all tests', async () => {
    await expectConsistentLedger(chain.system);
  });
});
