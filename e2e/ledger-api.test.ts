import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectNativeRefusal } from './expect-refusal.ts';
import { MESSAGE_PING, PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import {
  accountOf,
  BALANCE_PATH,
  CREDITS_PATH,
  ENTRIES_PATH,
  METERED,
  openAccounts,
} from './open-accounts.ts';
import type { Account, Accounts, Entry } from './open-accounts.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { expectConsistentLedger } from './ledger-audit.ts';

const AMOUNT_MAX = 1_000_000_000_000_000;
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const ENTRY_ID = expect.stringMatching(/^ent_[A-Za-z0-9]+$/);
const INVALID_REQUEST = { status: 400, code: 'invalid_request' };
const toBalance = (posted: number) => ({
  available: posted,
  held: 0,
  posted,
  unit: 'tokens',
  metering: 'metered',
});

describe.each(TRANSPORTS)('the ledger API, services over %s', (transport) => {
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

  const postCredit = async (
    { client }: Pick<Account, 'client'>,
    body: object | string,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const operatorHeaders = { authorization: `Bearer ${fixture.system.apiKey}`, ...headers };
    const init = client === fixture.client ? { body, headers: operatorHeaders } : { body };
    const answer = await client.send(CREDITS_PATH, init);
    expectDocumented(answer, `POST ${CREDITS_PATH}`);
    return answer;
  };
  const creditAsOperator = (
    body: object | string,
    headers?: Record<string, string>,
  ): Promise<Answer> => postCredit(fixture, body, headers);

  describe('a balance', () => {
    it('of a new workspace is empty, without entries', async () => {
      const { client } = await accounts.createMember();
      const answer = await client.send(BALANCE_PATH);
      expect([answer.status, answer.json]).toEqual([200, { balance: toBalance(0) }]);
      expectDocumented(answer, `GET ${BALANCE_PATH}`);
      const list = await client.send(ENTRIES_PATH);
      expect([list.status, list.json]).toEqual([200, { entries: [] }]);
      expectDocumented(list, `GET ${ENTRIES_PATH}`);
    });

    it('is read with the scope ledger or ledger:read, and nothing else', async () => {
      for (const [scopes, status] of [
        [['ledger'], 200],
        [['ledger:read'], 200],
        [['gateway', 'operator'], 403],
      ] as const) {
        const { client } = await accounts.createMember({ scopes: [...scopes] });
        for (const path of [BALANCE_PATH, ENTRIES_PATH]) {
          const answer = await client.send(path);
          expect([scopes, answer.status]).toEqual([scopes, status]);
          expectDocumented(answer, `GET ${path}`);
        }
      }
    });
  });

  describe('a credit', () => {
    it('is recorded and raises the balance', async () => {
      const member = await accounts.createMember();
      const { workspaceId } = member;
      const first = await creditAsOperator({ amount: 7, workspaceId });
      const entry = {
        id: ENTRY_ID,
        kind: 'credit',
        amount: 7,
        certificateId: null,
        createdAt: INSTANT,
      };
      expect([first.status, first.json]).toEqual([201, { entry, balance: toBalance(7) }]);
      const second = await creditAsOperator({ amount: 5, reason: 'for the test', workspaceId });
      expect(second.json).toEqual({ entry: { ...entry, amount: 5 }, balance: toBalance(12) });
      expect(await member.balance()).toEqual(toBalance(12));
      const createdEntries = [second, first].map(({ json }) => (json as { entry: Entry }).entry);
      expect(await member.entries()).toEqual(createdEntries);
    });

    it("belongs to the operator's own workspace if none is named", async () => {
      const ownAccount = accountOf(fixture.client);
      const before = (await ownAccount.balance()).posted;
      const answer = await creditAsOperator({ amount: 3 });
      expect([answer.status, (await ownAccount.balance()).posted]).toEqual([201, before + 3]);
    });

    it.each([
      ['0', 0],
      ['below 0', -1],
      ['not an integer', 1.5],
      ['a string', '5'],
      ['null', null],
      ['absent', undefined],
      ['too large', AMOUNT_MAX + 1],
    ])('with the amount %s is refused, and nothing is recorded', async (_name, amount) => {
      const member = await accounts.createMember();
      const answer = await creditAsOperator({ amount, workspaceId: member.workspaceId });
      const invalidField = { path: 'amount', message: expect.any(String) };
      expectNativeRefusal(answer, { ...INVALID_REQUEST, param: 'amount' }, [invalidField]);
      expect([await member.balance(), await member.entries()]).toEqual([toBalance(0), []]);
    });

    it('is refused with all invalid fields at once', async () => {
      const answer = await creditAsOperator({ amount: 0, reason: 'x'.repeat(501), workspaceId: 7 });
      const paths = ['amount', 'reason', 'workspaceId'];
      const { details } = (answer.json as { error: { details: { path: string }[] } }).error;
      expect([answer.status, details.map(({ path }) => path).toSorted()]).toEqual([400, paths]);
    });

    it('is limited so that the balance stays an exact number', async () => {
      const { workspaceId, balance } = await accounts.createMember();
      for (let time = 1; time <= 9; time += 1) {
        expect((await creditAsOperator({ amount: AMOUNT_MAX, workspaceId })).status).toBe(201);
      }
      const answer = await creditAsOperator({ amount: AMOUNT_MAX, workspaceId });
      expectNativeRefusal(answer, { status: 409, code: 'conflict' });
      expect((await balance()).posted).toBe(9 * AMOUNT_MAX);
    });

    it.each([[['*']], [['ledger']], [['*', 'ledger:read']]])(
      'is refused for a key with %j',
      async (scopes) => {
        const [member, other] = [
          await accounts.createMember({ scopes }),
          await accounts.createMember(),
        ];
        const refusal = { status: 403, code: 'insufficient_scope', param: 'operator' };
        for (const workspaceId of [undefined, other.workspaceId]) {
          expectNativeRefusal(await postCredit(member, { amount: 5, workspaceId }), refusal);
        }
        expect([await member.entries(), await other.entries()]).toEqual([[], []]);
      },
    );

    it('requires only the scope operator', async () => {
      const member = await accounts.createMember({ scopes: ['operator'] });
      expect((await postCredit(member, { amount: 5 })).json).toMatchObject({
        balance: toBalance(5),
      });
    });

    it('for an unknown workspace is refused', async () => {
      const answer = await creditAsOperator({ amount: 5, workspaceId: 'ws_nobody' });
      expectNativeRefusal(answer, { status: 404, code: 'not_found' });
    });

    it.each(['', 'x'.repeat(65), "ws_' OR 1=1", '*'])(
      'for the invalid workspace %j is refused',
      async (workspaceId) => {
        const answer = await creditAsOperator({ amount: 5, workspaceId });
        const invalidField = { path: 'workspaceId', message: expect.any(String) };
        expectNativeRefusal(answer, { ...INVALID_REQUEST, param: 'workspaceId' }, [invalidField]);
      },
    );

    it('is recorded once for all tries under one Idempotency-Key', async () => {
      const { workspaceId, balance, entries } = await accounts.createMember();
      const body = { amount: 11, workspaceId };
      const headers = { 'idempotency-key': `credit-${workspaceId}` };
      const first = await creditAsOperator(body, headers);
      const again = await creditAsOperator(body, headers);
      expect([first.status, again.status, again.json]).toEqual([201, 201, first.json]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      const changed = await creditAsOperator({ ...body, amount: 12 }, headers);
      expectNativeRefusal(changed, { status: 422, code: 'idempotency_key_reused' });
      expect([(await balance()).posted, (await entries()).length]).toEqual([11, 1]);
    });

    it('is recorded once when many are sent concurrently', async () => {
      const { workspaceId, balance, entries } = await accounts.createMember();
      const amounts = Array.from({ length: 40 }, (_, index) => index + 1);
      await Promise.all(amounts.map((amount) => creditAsOperator({ amount, workspaceId })));
      const creditedAmounts = (await entries()).map(({ amount }) => amount);
      expect(creditedAmounts.toSorted((a, b) => a - b)).toEqual(amounts);
      expect((await balance()).posted).toBe(820);
    });
  });

  describe('the list of entries', () => {
    it('is paginated, newest first, each entry once', async () => {
      const { client, workspaceId } = await accounts.createMember();
      for (let amount = 1; amount <= 7; amount += 1)
        await creditAsOperator({ amount, workspaceId });
      const pages: number[][] = [];
      let query = '?limit=3';
      for (;;) {
        const answer = await client.send(`${ENTRIES_PATH}${query}`);
        expectDocumented(answer, `GET ${ENTRIES_PATH}`);
        const page = answer.json as { entries: Entry[]; nextCursor?: string };
        pages.push(page.entries.map(({ amount }) => amount));
        // An entry that is added while paging must not appear on later pages, because lists are
        // newest first.
        await creditAsOperator({ amount: 100, workspaceId });
        if (!('nextCursor' in page)) break;
        query = `?limit=3&cursor=${encodeURIComponent(page.nextCursor!)}`;
      }
      expect(pages).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
    });

    it('has no next page after a full last page', async () => {
      const { client, workspaceId } = await accounts.createMember();
      for (const amount of [1, 2]) await creditAsOperator({ amount, workspaceId });
      const { json } = await client.send(`${ENTRIES_PATH}?limit=2`);
      expect(Object.keys(json as object)).toEqual(['entries']);
    });

    it.each([
      ['limit=0', 'limit'],
      ['limit=501', 'limit'],
      ['limit=two', 'limit'],
      ['cursor=nonsense', 'cursor'],
      ['cursor=MA', 'cursor'],
      ['cursor=LTE', 'cursor'],
      [`cursor=${'M'.repeat(201)}`, 'cursor'],
      ['order=asc', 'order'],
    ])('refuses %s', async (query, param) => {
      const { client } = await accounts.createMember();
      const answer = await client.send(`${ENTRIES_PATH}?${query}`);
      expectDocumented(answer, `GET ${ENTRIES_PATH}`);
      const { status, json } = answer;
      expect([status, json]).toMatchObject([400, { error: { code: 'invalid_request', param } }]);
    });

    it('shows no entry of the other workspace whose cursor is passed', async () => {
      const [one, other] = [
        await accounts.createMember(),
        await accounts.createMember({ credit: 9 }),
      ];
      for (const amount of [1, 2, 3])
        await creditAsOperator({ amount, workspaceId: one.workspaceId });
      const { json } = await one.client.send(`${ENTRIES_PATH}?limit=1`);
      const { nextCursor } = json as { nextCursor: string };
      const otherAnswer = await other.client.send(`${ENTRIES_PATH}?cursor=${nextCursor}`);
      const amounts = (otherAnswer.json as { entries: Entry[] }).entries.map(
        ({ amount }) => amount,
      );
      expect([[], [9]]).toContainEqual(amounts);
    });

    it('names the certificate of each usage', async () => {
      const member = await accounts.createMember({ credit: 100_000 });
      const answer = await member.client.complete(PING);
      const certificateId = answer.headers.get('x-service-proof');
      const [usage] = await member.entries();
      const { totalTokens } = (await member.client.certificateOf(answer)).payload.response.usage;
      expect(usage).toEqual({
        id: ENTRY_ID,
        kind: 'usage',
        amount: totalTokens,
        certificateId,
        createdAt: INSTANT,
      });
    });
  });

  it('is consistent after all tests', async () => {
    await expectConsistentLedger(fixture.system);
  });
});

describe.each(TRANSPORTS)('an opening credit, services over %s', (transport) => {
  it('exists from the first call on, once', async () => {
    await using fixture = await openFixture({
      transport,
      env: { ...METERED, WITAN_OPENING_CREDIT: '50000' },
    });
    await using accounts = await openAccounts(fixture);
    const openingEntry = { kind: 'credit', amount: 50_000, certificateId: null };
    // Each of the three workspaces opens its account by another kind of call.
    const [reading, calling, credited] = [
      await accounts.createMember(),
      await accounts.createMember(),
      await accounts.createMember({ credit: 5 }),
    ];
    await Promise.all(Array.from({ length: 8 }, reading.balance));
    expect(await reading.balance()).toEqual(toBalance(50_000));
    expect(await reading.entries()).toMatchObject([openingEntry]);
    const calls = Array.from({ length: 3 }, () => calling.client.complete(PING));
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await calling.entries()).at(-1)).toMatchObject(openingEntry);
    expect((await calling.balance()).posted).toBe(50_000 - 3 * 4);
    expect(await credited.entries()).toMatchObject([{ amount: 5 }, openingEntry]);
    expect((await credited.balance()).posted).toBe(50_005);
    await expectConsistentLedger(fixture.system);
  });

  it('is listed for a workspace without calls', async () => {
    await using fixture = await openFixture({
      transport,
      env: { WITAN_OPENING_CREDIT: '5', ...METERED },
    });
    await using accounts = await openAccounts(fixture);
    expect(await (await accounts.createMember()).entries()).toMatchObject([
      { kind: 'credit', amount: 5 },
    ]);
  });
});

describe.each(TRANSPORTS)('an unmetered installation, services over %s', (transport) => {
  it('refuses no call, and records usage without charging it', async () => {
    const { WITAN_AUDIT_INTERVAL_MS } = METERED;
    await using fixture = await openFixture({ transport, env: { WITAN_AUDIT_INTERVAL_MS } });
    await using accounts = await openAccounts(fixture);
    const emptyAccount = await accounts.createMember();
    const creditedAccount = await accounts.createMember({ credit: 3 });
    const unmetered = { unit: 'tokens', metering: 'unmetered' };
    for (const [{ client, balance, entries }, credit] of [
      [emptyAccount, 0],
      [creditedAccount, 3],
    ] as const) {
      const answers = [
        await client.message(MESSAGE_PING),
        await client.complete(PING),
        await client.complete({ ...PING, stream: true }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      const ids = answers.map(({ headers }) => headers.get('x-service-proof'));
      const expectedTokens = { posted: credit, available: credit, held: 0 };
      expect(await balance()).toEqual({ ...expectedTokens, ...unmetered });
      const usage = (await entries()).filter(({ kind }) => kind === 'usage');
      expect(usage.map(({ certificateId }) => certificateId)).toEqual(ids.toReversed());
      for (const { amount } of usage) expect(amount).toBe(4);
    }
    await expectConsistentLedger(fixture.system);
  });
});
