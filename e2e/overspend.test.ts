import { describe, expect, it } from '@jest/globals';
import { respondWith, toChatCompletion } from '@witan/testing';
import type { Script } from '@witan/testing';
import { PING } from './http-client.ts';
import { METERED, openAccounts, sumAmounts } from './open-accounts.ts';
import type { Accounts, Member } from './open-accounts.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { expectConsistentLedger } from './ledger-audit.ts';

const MAX_TOKENS = 16;
const REQUEST_BODY = { ...PING, max_tokens: MAX_TOKENS };
const CONCURRENCY = 256;
/** Number of scripted answers; exceeds the number of provider calls of each test. */
const SCRIPTS = 4_000;
/** Time limit of each test in milliseconds; a test takes about 10 s on two idle cores. */
const LOAD_TIMEOUT_MS = 90_000;

type Tally = { answered: number; empty: number; held: number };

/** Repeats a call until it succeeds or is refused because the balance is empty. */
const retryUntilSettled = async ({ client }: Member, tally: Tally): Promise<void> => {
  for (;;) {
    const { status, json, text } = await client.complete(REQUEST_BODY);
    if (status === 200) {
      tally.answered += 1;
      return;
    }
    if (status === 402) {
      tally.empty += 1;
      return;
    }
    const { error } = json as { error: { code: string } };
    expect([status, error.code, text]).toEqual([429, 'balance_held', text]);
    tally.held += 1;
  }
};

/**
 * Makes `tries` calls, `CONCURRENCY` at a time, and checks the balance meanwhile. Returns how many
 * calls ended in which way.
 */
const runCalls = async (member: Member, tries: number, credit: number): Promise<Tally> => {
  const tally: Tally = { answered: 0, empty: 0, held: 0 };
  let left = tries;
  const runWorker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await retryUntilSettled(member, tally);
    }
  };
  let isOver = false;
  const pollBalance = async (): Promise<void> => {
    let before = credit;
    while (!isOver) {
      const { posted, held, available } = await member.balance();
      expect([posted >= 0, held >= 0, available >= 0]).toEqual([true, true, true]);
      expect(available).toBe(posted - held);
      // Without new credits the balance can only decrease.
      expect(posted).toBeLessThanOrEqual(before);
      before = posted;
    }
  };
  const polling = pollBalance();
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, runWorker));
  } finally {
    isOver = true;
    await polling;
  }
  return tally;
};

/** Returns the number of tokens that a call reserves for its prompt. */
const findPromptTokens = async (fixture: Fixture, accounts: Accounts): Promise<number> => {
  const member = await accounts.createMember({ credit: 1_000_000 });
  const { promise: after, resolve } = Promise.withResolvers<void>();
  fixture.provider.script(respondWith({ body: toChatCompletion(), after }));
  const callNumber = fixture.provider.requests.length + 1;
  const pendingAnswer = member.client.complete(REQUEST_BODY);
  await fixture.provider.whenRequest(callNumber);
  const { held } = await member.balance();
  resolve();
  await pendingAnswer;
  return held - MAX_TOKENS;
};

/**
 * Makes the provider answer each call with `choose(limit)` output tokens, where `limit` is the
 * call's output limit.
 */
const script = (
  fixture: Fixture,
  promptTokens: number,
  choose: (limit: number) => number,
): void => {
  const answer: Script = async (exchange) => {
    const { max_tokens } = exchange.request.parsed as { max_tokens: number };
    const completion_tokens = choose(max_tokens);
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens,
      total_tokens: promptTokens + completion_tokens,
    };
    await respondWith({ body: toChatCompletion({ usage }) })(exchange);
  };
  for (let index = 0; index < SCRIPTS; index += 1) fixture.provider.script(answer);
};

/** Each test runs over one transport only, because it keeps two cores busy for ten seconds. */
const TRANSPORT = { exact: 'grpc', smaller: 'in-process' } as const;

describe('concurrent calls near the end of a balance', () => {
  it(
    'succeed exactly 500 times with a balance for 500 that use what they reserve',
    async () => {
      await using fixture = await openFixture({ transport: TRANSPORT.exact, env: METERED });
      await using accounts = await openAccounts(fixture);
      const promptTokens = await findPromptTokens(fixture, accounts);
      script(fixture, promptTokens, (limit) => limit);
      const cost = promptTokens + MAX_TOKENS;
      const credit = 500 * cost;
      const member = await accounts.createMember({ credit });
      const before = fixture.calls().length;
      const tally = await runCalls(member, 2_560, credit);
      expect(tally).toMatchObject({ answered: 500, empty: 2_060 });
      expect(fixture.calls()).toHaveLength(before + 500);
      expect(await member.balance()).toMatchObject({ posted: 0, held: 0, available: 0 });
      const entries = await member.entries();
      expect([sumAmounts(entries, 'credit'), sumAmounts(entries, 'usage')]).toEqual([
        credit,
        credit,
      ]);
      expect(new Set(entries.map(({ certificateId }) => certificateId)).size).toBe(501);
      expect(new Set(entries.map(({ kind, amount }) => `${kind} ${amount}`))).toEqual(
        new Set([`credit ${credit}`, `usage ${cost}`]),
      );
      await expectConsistentLedger(fixture.system);
    },
    LOAD_TIMEOUT_MS,
  );

  it(
    'are never charged beyond the balance if they use less than they reserve',
    async () => {
      await using fixture = await openFixture({ transport: TRANSPORT.smaller, env: METERED });
      await using accounts = await openAccounts(fixture);
      const promptTokens = await findPromptTokens(fixture, accounts);
      let callCount = 0;
      script(fixture, promptTokens, (limit) => {
        callCount += 1;
        return 1 + (callCount % limit);
      });
      const credit = 200 * (promptTokens + MAX_TOKENS) + 7;
      const member = await accounts.createMember({ credit });
      const before = fixture.calls().length;
      const tally = await runCalls(member, 1_000, credit);
      const { posted, held } = await member.balance();
      const entries = await member.entries();
      const usage = entries.filter(({ kind }) => kind === 'usage');
      // More calls succeed than reservations fit into the balance, because each call uses less than
      // it reserves.
      expect(tally.answered).toBeGreaterThan(200);
      expect(usage).toHaveLength(tally.answered);
      expect(fixture.calls()).toHaveLength(before + tally.answered);
      expect(sumAmounts(entries, 'usage') + posted).toBe(credit);
      expect([held, sumAmounts(entries, 'overrun'), tally.empty]).toEqual([
        0,
        0,
        1_000 - tally.answered,
      ]);
      expect(posted).toBeLessThanOrEqual(promptTokens);
      await expectConsistentLedger(fixture.system);
    },
    LOAD_TIMEOUT_MS,
  );
});
