import { describe, expect, it } from '@jest/globals';
import { respondWith, toChatCompletion } from '@witan/testing';
import type { Script } from '@witan/testing';
import { PING } from './http-client.ts';
import { METERED, openAccounts, sum } from './open-accounts.ts';
import type { Accounts, Member } from './open-accounts.ts';
import { openLine } from './open-line.ts';
import type { Line } from './open-line.ts';
import { expectSoundBooks } from './watch-books.ts';

const MAX_TOKENS = 16;
const ASKED = { ...PING, max_tokens: MAX_TOKENS };
/** Concurrent connections. */
const AT_ONCE = 256;
/** Exceeds the calls of both loads. */
const SCRIPTS = 4_000;
/** About 10 s on two idle cores. */
const STORM_MS = 90_000;

type Told = { answered: number; empty: number; held: number };

/** Retries until the call succeeds or the balance is empty. */
const insist = async ({ client }: Member, told: Told): Promise<void> => {
  for (;;) {
    const { status, json, text } = await client.complete(ASKED);
    if (status === 200) {
      told.answered += 1;
      return;
    }
    if (status === 402) {
      told.empty += 1;
      return;
    }
    const { error } = json as { error: { code: string } };
    expect([status, error.code, text]).toEqual([429, 'balance_held', text]);
    told.held += 1;
  }
};

/** Makes `tries` calls, `AT_ONCE` concurrently, and polls the balance meanwhile. */
const storm = async (member: Member, tries: number, credit: number): Promise<Told> => {
  const told: Told = { answered: 0, empty: 0, held: 0 };
  let left = tries;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await insist(member, told);
    }
  };
  let isOver = false;
  const watch = async (): Promise<void> => {
    let before = credit;
    while (!isOver) {
      const { posted, held, available } = await member.balance();
      expect([posted >= 0, held >= 0, available >= 0]).toEqual([true, true, true]);
      expect(available).toBe(posted - held);
      // Without credits the balance only falls.
      expect(posted).toBeLessThanOrEqual(before);
      before = posted;
    }
  };
  const watching = watch();
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    isOver = true;
    await watching;
  }
  return told;
};

/** Tokens of the prompt's estimate, reserved in addition to the answer's. */
const findPromptTokens = async (line: Line, accounts: Accounts): Promise<number> => {
  const member = await accounts.join({ credit: 1_000_000 });
  const { promise: after, resolve } = Promise.withResolvers<void>();
  line.provider.script(respondWith({ body: toChatCompletion(), after }));
  const number = line.provider.requests.length + 1;
  const asked = member.client.complete(ASKED);
  await line.provider.whenRequest(number);
  const { held } = await member.balance();
  resolve();
  await asked;
  return held - MAX_TOKENS;
};

/** Answers that use the share of the output limit returned by `choose`. */
const script = (line: Line, promptTokens: number, choose: (limit: number) => number): void => {
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
  for (let place = 0; place < SCRIPTS; place += 1) line.provider.script(answer);
};

/** Each load runs over one transport, because it takes ten seconds of two cores. */
const TRANSPORT = { exact: 'grpc', smaller: 'in-process' } as const;

describe('a storm of calls', () => {
  it(
    'with money for 500 that use what they reserve makes exactly 500 calls',
    async () => {
      await using line = await openLine({ transport: TRANSPORT.exact, env: METERED });
      await using accounts = await openAccounts(line);
      const promptTokens = await findPromptTokens(line, accounts);
      script(line, promptTokens, (limit) => limit);
      const cost = promptTokens + MAX_TOKENS;
      const credit = 500 * cost;
      const member = await accounts.join({ credit });
      const before = line.calls().length;
      const told = await storm(member, 2_560, credit);
      expect(told).toMatchObject({ answered: 500, empty: 2_060 });
      expect(line.calls()).toHaveLength(before + 500);
      expect(await member.balance()).toMatchObject({ posted: 0, held: 0, available: 0 });
      const entries = await member.entries();
      expect([sum(entries, 'credit'), sum(entries, 'usage')]).toEqual([credit, credit]);
      expect(new Set(entries.map(({ certificateId }) => certificateId)).size).toBe(501);
      expect(new Set(entries.map(({ kind, amount }) => `${kind} ${amount}`))).toEqual(
        new Set([`credit ${credit}`, `usage ${cost}`]),
      );
      await expectSoundBooks(line.system);
    },
    STORM_MS,
  );

  it(
    'that use less than they reserve is never charged more than there is',
    async () => {
      await using line = await openLine({ transport: TRANSPORT.smaller, env: METERED });
      await using accounts = await openAccounts(line);
      const promptTokens = await findPromptTokens(line, accounts);
      let turn = 0;
      script(line, promptTokens, (limit) => {
        turn += 1;
        return 1 + (turn % limit);
      });
      const credit = 200 * (promptTokens + MAX_TOKENS) + 7;
      const member = await accounts.join({ credit });
      const before = line.calls().length;
      const told = await storm(member, 1_000, credit);
      const { posted, held } = await member.balance();
      const entries = await member.entries();
      const usage = entries.filter(({ kind }) => kind === 'usage');
      // More calls than reservations fit at once, down to a balance too small for any.
      expect(told.answered).toBeGreaterThan(200);
      expect(usage).toHaveLength(told.answered);
      expect(line.calls()).toHaveLength(before + told.answered);
      expect(sum(entries, 'usage') + posted).toBe(credit);
      expect([held, sum(entries, 'overrun'), told.empty]).toEqual([0, 0, 1_000 - told.answered]);
      expect(posted).toBeLessThanOrEqual(promptTokens);
      await expectSoundBooks(line.system);
    },
    STORM_MS,
  );
});
