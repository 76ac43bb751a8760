import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Certificate, Draft } from '@witan/contracts';
import { createLog, newId, openDatabase } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { findAuditViolations } from '../src/storage/find-audit-violations.ts';
import { MIGRATIONS } from '../src/storage/migrations/migrations.ts';
import { appendOf, LONG_MS, makeDraft, releaseOf, reserveOf } from './drafts.ts';
import { as, openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';
import { exportChain, toProof, verifyNatively } from './read-chain.ts';

const OPENING_CREDIT = 10_000;
const HELD = 300;
const NO_VIOLATIONS = { balance: 0, held: 0, settled: 0, usage: 0, certified: 0 };
/** Each race is repeated, because a different side can win every time. */
const ROUNDS = 10;

const draftOf = (totalTokens: number, proofId?: string): Draft => {
  const usage = { promptTokens: totalTokens, completionTokens: 0, totalTokens };
  return makeDraft(proofId, {
    answer: { sha256: 'ab'.repeat(32), finishReason: 'stop', usage },
  });
};

const idOf = (certificate: Certificate | undefined): string =>
  (JSON.parse(certificate!.payload) as { id: string }).id;

const endOf = (write: Promise<Certificate | undefined>): Promise<string> =>
  write.then(
    (certificate) => (certificate ? idOf(certificate) : 'done'),
    ({ reason }: { reason: string }) => reason,
  );

describe.each([
  ['metered', true],
  ['unmetered', false],
])('a reservation that is settled under another id: %s', (_name, isMetered) => {
  let fixture: LedgerFixture;
  let ledgers: TestLedger[];
  let database: Database;
  let admin: Client;
  let [workspaceId, own, other, answer] = ['', '', '', ''] as [string, string, string, string];
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    const signingKeyFile = await fixture.newKeyFile();
    const options = { signingKeyFile, isMetered, openingCredit: OPENING_CREDIT };
    ledgers = [
      await openLedger(fixture, options),
      await openLedger(fixture, { ...options, sweepIntervalMs: 5 }),
    ];
    database = await openDatabase({
      url: fixture.database.urls.ledger!,
      schema: 'ledger',
      entities: [],
      migrations: MIGRATIONS,
      log: createLog({ service: 'ledger', level: 'silent' }),
    });
    admin = new Client({ connectionString: fixture.database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await database[Symbol.asyncDispose]();
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    workspaceId = newId('ws');
    [own, other, answer] = [newId('pf'), newId('pf'), newId('pf')];
  });

  const reserve = (
    id: string,
    { ws = workspaceId, expiresInMs = LONG_MS, lostProofId = '', replica = 0 } = {},
  ): Promise<unknown> => {
    const draft = { ...draftOf(40, id), lostProofId };
    const terms = isMetered ? { amount: BigInt(HELD), minimum: 1n } : {};
    return ledgers[replica]!.writer.write(reserveOf(ws, draft, expiresInMs, terms));
  };
  const append = (
    id: string,
    reservationId: string,
    { ws = workspaceId, tokens = 120, replica = 0 } = {},
  ) => ledgers[replica]!.writer.write(appendOf(ws, draftOf(tokens, id), reservationId));
  const release = (id: string, replica = 0) =>
    ledgers[replica]!.writer.write(releaseOf(workspaceId, id));
  const chainOf = async (ws = workspaceId) =>
    verifyNatively(await exportChain(ledgers[0]!.certificates, ws));
  const refusalOf = async (write: Promise<unknown>): Promise<unknown> =>
    ((await write.catch((error: unknown) => error)) as { fields: unknown }).fields;
  const stateOf = async (id: string) => {
    const { rows } = await admin.query<{ state: string; settled_as: string | null }>(
      'SELECT state, settled_as FROM ledger.reservation WHERE id = $1',
      [id],
    );
    return rows[0];
  };
  const expectNoViolations = async (): Promise<void> => {
    expect(await findAuditViolations(database)).toEqual(NO_VIOLATIONS);
  };
  const expectBalance = async (posted: number, held: number, ws = workspaceId): Promise<void> => {
    if (!isMetered) return;
    const { balance } = await ledgers[0]!.accounts.getBalance({}, as(ws));
    expect([balance!.posted, balance!.held]).toEqual([BigInt(posted), BigInt(held)]);
  };

  it('has one certificate, under that id, and is charged once', async () => {
    await reserve(own);
    expect(idOf(await append(answer, own))).toBe(answer);
    expect(await chainOf()).toEqual([answer]);
    await expectBalance(OPENING_CREDIT - 120, 0);
    const { entries } = await ledgers[0]!.accounts.listEntries({ limit: 9 }, as(workspaceId));
    expect(entries.filter(({ kind }) => kind === 'usage')).toMatchObject([
      { amount: 120n, certificateId: answer },
    ]);
    expect(await stateOf(own)).toEqual({ state: 'released', settled_as: answer });
    await expectNoViolations();
  });

  it('is charged for an overrun of its held tokens', async () => {
    await reserve(own);
    await append(answer, own, { tokens: HELD + 50 });
    await expectBalance(OPENING_CREDIT - HELD - 50, 0);
    await expectNoViolations();
  });

  it('returns that certificate to a repeated append under any id', async () => {
    await reserve(own);
    const first = await append(answer, own);
    expect(await append(answer, own, { tokens: 7, replica: 1 })).toEqual(first);
    expect(await append(own, own)).toEqual(first);
    expect(await append(other, own)).toEqual(first);
    expect(await append(answer, answer)).toEqual(first);
    expect(await chainOf()).toEqual([answer]);
    await expectBalance(OPENING_CREDIT - 120, 0);
    await expectNoViolations();
  });

  it('cannot be reserved again; the error names its certificate', async () => {
    await reserve(own);
    await append(answer, own);
    const settled = { code: 'proof_id_settled', proof: answer };
    expect(await refusalOf(reserve(own))).toEqual(settled);
    // The certificate's id cannot be used by another call either.
    expect(await refusalOf(reserve(answer))).toEqual(settled);
    expect(await refusalOf(reserve(answer, { ws: newId('ws') }))).toEqual({});
    await release(own);
    await release(answer);
    expect(await chainOf()).toEqual([answer]);
    await expectNoViolations();
  });

  it('is not swept', async () => {
    await reserve(own, { expiresInMs: 400 });
    await append(answer, own);
    const wait = 'SELECT 1 FROM ledger.reservation WHERE id = $1 AND expires_at < now()';
    await eventually(async () => (await admin.query(wait, [own])).rowCount || undefined);
    // Once a later reservation is settled, a sweep has run after the first one expired.
    await reserve(other, { expiresInMs: 1 });
    await eventually(async () => (await stateOf(other))!.state === 'settled' || undefined);
    expect(await chainOf()).toEqual([answer, other]);
    await expectNoViolations();
  });

  it('can share a commit with appends of every kind', async () => {
    const ids = Array.from({ length: 30 }, () => newId('pf'));
    await Promise.all(ids.map((id) => reserve(id)));
    const ends = ids.map((id, n) => endOf(append(n % 2 ? id.replace('pf_', 'pf_as') : id, id)));
    const expected = ids.map((id, n) => (n % 2 ? id.replace('pf_', 'pf_as') : id));
    expect(await Promise.all(ends)).toEqual(expected);
    expect((await chainOf()).toSorted()).toEqual(expected.toSorted());
    await expectNoViolations();
  });

  describe('stays unchanged after a CONFLICT', () => {
    const expectHeld = async (): Promise<void> => {
      expect(await stateOf(own)).toEqual({ state: 'held', settled_as: null });
      expect(idOf(await append(own, own))).toBe(own);
      await expectNoViolations();
    };

    it('if the id certifies another call', async () => {
      await reserve(other);
      await append(answer, other);
      await reserve(own);
      expect(await endOf(append(answer, own))).toBe('CONFLICT');
      await expectHeld();
      expect(await chainOf()).toEqual([answer, own]);
    });

    it("if the id certifies another workspace's call", async () => {
      const ws = newId('ws');
      await reserve(other, { ws });
      await append(answer, other, { ws });
      await reserve(own);
      expect(await endOf(append(answer, own))).toBe('CONFLICT');
      await expectHeld();
      expect(await chainOf(ws)).toEqual([answer]);
    });

    it.each([
      ['of this workspace', () => workspaceId],
      ['of another workspace', () => newId('ws')],
    ])('if the id is reserved for a call %s', async (_whose, wsOf) => {
      const ws = wsOf();
      await reserve(answer, { ws });
      await reserve(own);
      expect(await endOf(append(answer, own))).toBe('CONFLICT');
      expect(idOf(await append(answer, answer, { ws }))).toBe(answer);
      await expectHeld();
    });

    it('if it belongs to another workspace', async () => {
      await reserve(own);
      expect(await endOf(append(answer, own, { ws: newId('ws') }))).toBe('CONFLICT');
      expect(await stateOf(answer)).toBeUndefined();
      await expectHeld();
    });

    it('and does not fail other writes of its commit', async () => {
      const ids = Array.from({ length: 8 }, () => newId('pf'));
      await reserve(answer);
      await reserve(own);
      await Promise.all(ids.map((id) => reserve(id)));
      const ends = [...ids.map((id) => append(id, id)), append(answer, own)].map(endOf);
      expect(await Promise.all(ends)).toEqual([...ids, 'CONFLICT']);
      await expectHeld();
    });
  });

  it('is rejected with CONFLICT if it was released or never existed, and the id stays unused', async () => {
    await reserve(own);
    await release(own);
    expect(await endOf(append(answer, own))).toBe('CONFLICT');
    expect(await endOf(append(answer, other))).toBe('CONFLICT');
    expect(await refusalOf(reserve(own))).toEqual({ code: 'proof_id_released' });
    await reserve(other);
    expect(idOf(await append(answer, other))).toBe(answer);
    await expectNoViolations();
  });

  describe('that expired', () => {
    it('is certified as lost under its own id, also for a late append', async () => {
      await reserve(own, { expiresInMs: 1 });
      await eventually(async () => (await stateOf(own))!.state === 'settled' || undefined);
      const late = await append(answer, own);
      expect(toProof(late!).payload).toMatchObject({ id: own, response: { finishReason: 'lost' } });
      expect(await stateOf(answer)).toBeUndefined();
      await expectBalance(OPENING_CREDIT - 40, 0);
      await expectNoViolations();
    });

    it('is certified as lost under the id in its intent', async () => {
      await reserve(own, { expiresInMs: 1, lostProofId: answer });
      await eventually(async () => (await stateOf(own))!.settled_as ?? undefined);
      const late = await append(answer, own);
      expect(toProof(late!).payload).toMatchObject({
        id: answer,
        response: { finishReason: 'lost' },
      });
      expect(await append(own, own)).toEqual(late);
      expect(await chainOf()).toEqual([answer]);
      await expectBalance(OPENING_CREDIT - 40, 0);
      await expectNoViolations();
    });

    it('is certified as lost under its own id if the other id certifies another call', async () => {
      await reserve(other);
      await append(answer, other);
      await reserve(own, { expiresInMs: 1, lostProofId: answer });
      await eventually(async () => (await stateOf(own))!.state === 'settled' || undefined);
      expect(await chainOf()).toEqual([answer, own]);
      await expectNoViolations();
    });
  });

  describe('is settled once in every order of', () => {
    const race = async (run: () => Promise<string>): Promise<Map<string, number>> => {
      const ends = new Map<string, number>();
      for (let round = 0; round < ROUNDS; round += 1) {
        workspaceId = newId('ws');
        [own, other, answer] = [newId('pf'), newId('pf'), newId('pf')];
        const end = await run();
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }
      await expectNoViolations();
      return ends;
    };

    it('the same append on two replicas', async () => {
      await race(async () => {
        await reserve(own);
        const both = [0, 1].map((replica) => append(answer, own, { replica }));
        const [one, two] = await Promise.all(both);
        expect(one).toEqual(two);
        expect(await chainOf()).toEqual([answer]);
        await expectBalance(OPENING_CREDIT - 120, 0);
        return '';
      });
    });

    it('two appends with the same id', async () => {
      const ends = await race(async () => {
        await reserve(own);
        await reserve(other);
        const both = [
          endOf(append(answer, own, { replica: 0 })),
          endOf(append(answer, other, { replica: 1 })),
        ];
        const [one, two] = await Promise.all(both);
        expect(new Set([one, two])).toEqual(new Set(['CONFLICT', answer]));
        expect(await chainOf()).toEqual([answer]);
        const loser = one === 'CONFLICT' ? own : other;
        expect(idOf(await append(loser, loser))).toBe(loser);
        await expectBalance(OPENING_CREDIT - 240, 0);
        return loser === own ? 'second' : 'first';
      });
      expect([...ends.values()].reduce((a, b) => a + b)).toBe(ROUNDS);
    });

    it('appends of two workspaces with the same id', async () => {
      await race(async () => {
        const ws = newId('ws');
        await reserve(own);
        await reserve(other, { ws });
        const ends = await Promise.all([
          endOf(append(answer, own, { replica: 0 })),
          endOf(append(answer, other, { ws, replica: 1 })),
        ]);
        expect(ends.toSorted()).toEqual(['CONFLICT', answer].toSorted());
        expect([...(await chainOf()), ...(await chainOf(ws))]).toEqual([answer]);
        return '';
      });
    });

    it('an append under an id and a reserve of that id', async () => {
      await race(async () => {
        await reserve(own);
        const [end, reserved] = await Promise.all([
          endOf(append(answer, own, { replica: 0 })),
          reserve(answer, { replica: 1 }).then(
            () => 'reserved',
            ({ fields }: { fields: { code: string } }) => fields.code,
          ),
        ]);
        const came = [end === answer ? 'answer' : end, reserved].join(' ');
        expect(['answer proof_id_settled', 'CONFLICT reserved']).toContain(came);
        return came;
      });
    });

    it('its append and the sweeper', async () => {
      let round = 0;
      const ends = await race(async () => {
        round += 1;
        const lostProofId = round % 2 ? answer : '';
        await reserve(own, { expiresInMs: 1 + (round % 8), lostProofId });
        for (let turn = 0; turn < round % 19; turn += 1) await admin.query('SELECT 1');
        const certificate = await append(answer, own);
        const id = idOf(certificate);
        const isLost = certificate!.payload.includes('"finishReason":"lost"');
        expect(await chainOf()).toEqual([id]);
        expect([own, answer]).toContain(id);
        await expectBalance(OPENING_CREDIT - (isLost ? 40 : 120), 0);
        return isLost ? 'lost' : 'stop';
      });
      expect(ends.get('stop')).toBeGreaterThan(0);
    });

    it('its append and its release', async () => {
      await race(async () => {
        await reserve(own);
        const [end] = await Promise.all([endOf(append(answer, own)), release(own, 1)]);
        expect([answer, 'CONFLICT']).toContain(end);
        expect(await chainOf()).toEqual(end === answer ? [answer] : []);
        await expectBalance(end === answer ? OPENING_CREDIT - 120 : OPENING_CREDIT, 0);
        return end === answer ? 'answer' : 'released';
      });
    });
  });
});
