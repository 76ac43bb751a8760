import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Certificate, CertificateDraft } from '@witan/contracts';
import { createLog, newId, openDatabase } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { findAuditViolations } from '../src/account/store/audit.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { appendOf, LONG_MS, makeDraft, releaseOf, reserveOf } from './drafts.ts';
import { optionsFor, openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';
import { exportChain, toProof, verifyNatively } from './read-chain.ts';

const OPENING_CREDIT = 10_000;
const HELD_TOKENS = 300;
const NO_VIOLATIONS = { balance: 0, held: 0, settled: 0, usage: 0, certified: 0 };
/** Each race is repeated, because a different side can win every time. */
const ROUNDS = 10;

const draftOf = (totalTokens: number, proofId?: string): CertificateDraft => {
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
  let [workspaceId, ownId, otherId, answerId] = ['', '', '', ''] as [
    string,
    string,
    string,
    string,
  ];
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
    [ownId, otherId, answerId] = [newId('pf'), newId('pf'), newId('pf')];
  });

  const reserve = (
    id: string,
    { ws = workspaceId, expiresInMs = LONG_MS, lostProofId = '', replica = 0 } = {},
  ): Promise<unknown> => {
    const draft = { ...draftOf(40, id), lostProofId };
    const terms = isMetered ? { amount: BigInt(HELD_TOKENS), minimum: 1n } : {};
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
    const { balance } = await ledgers[0]!.accounts.getBalance({}, optionsFor(ws));
    expect([balance!.posted, balance!.held]).toEqual([BigInt(posted), BigInt(held)]);
  };

  it('has one certificate, under that id, and is charged once', async () => {
    await reserve(ownId);
    expect(idOf(await append(answerId, ownId))).toBe(answerId);
    expect(await chainOf()).toEqual([answerId]);
    await expectBalance(OPENING_CREDIT - 120, 0);
    const { entries } = await ledgers[0]!.accounts.listEntries(
      { limit: 9 },
      optionsFor(workspaceId),
    );
    expect(entries.filter(({ kind }) => kind === 'usage')).toMatchObject([
      { amount: 120n, certificateId: answerId },
    ]);
    expect(await stateOf(ownId)).toEqual({ state: 'released', settled_as: answerId });
    await expectNoViolations();
  });

  it('is charged for an overrun of its held tokens', async () => {
    await reserve(ownId);
    await append(answerId, ownId, { tokens: HELD_TOKENS + 50 });
    await expectBalance(OPENING_CREDIT - HELD_TOKENS - 50, 0);
    await expectNoViolations();
  });

  it('returns that certificate to a repeated append under any id', async () => {
    await reserve(ownId);
    const first = await append(answerId, ownId);
    expect(await append(answerId, ownId, { tokens: 7, replica: 1 })).toEqual(first);
    expect(await append(ownId, ownId)).toEqual(first);
    expect(await append(otherId, ownId)).toEqual(first);
    expect(await append(answerId, answerId)).toEqual(first);
    expect(await chainOf()).toEqual([answerId]);
    await expectBalance(OPENING_CREDIT - 120, 0);
    await expectNoViolations();
  });

  it('cannot be reserved again; the error names its certificate', async () => {
    await reserve(ownId);
    await append(answerId, ownId);
    const settled = { code: 'proof_id_settled', proof: answerId };
    expect(await refusalOf(reserve(ownId))).toEqual(settled);
    // The certificate's id cannot be used by another call either.
    expect(await refusalOf(reserve(answerId))).toEqual(settled);
    expect(await refusalOf(reserve(answerId, { ws: newId('ws') }))).toEqual({});
    await release(ownId);
    await release(answerId);
    expect(await chainOf()).toEqual([answerId]);
    await expectNoViolations();
  });

  it('is not swept', async () => {
    await reserve(ownId, { expiresInMs: 400 });
    await append(answerId, ownId);
    const wait = 'SELECT 1 FROM ledger.reservation WHERE id = $1 AND expires_at < now()';
    await eventually(async () => (await admin.query(wait, [ownId])).rowCount || undefined);
    // Once a later reservation is settled, a sweep has run after the first one expired.
    await reserve(otherId, { expiresInMs: 1 });
    await eventually(async () => (await stateOf(otherId))!.state === 'settled' || undefined);
    expect(await chainOf()).toEqual([answerId, otherId]);
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
    const expectStillHeld = async (): Promise<void> => {
      expect(await stateOf(ownId)).toEqual({ state: 'held', settled_as: null });
      expect(idOf(await append(ownId, ownId))).toBe(ownId);
      await expectNoViolations();
    };

    it('if the id certifies another call', async () => {
      await reserve(otherId);
      await append(answerId, otherId);
      await reserve(ownId);
      expect(await endOf(append(answerId, ownId))).toBe('CONFLICT');
      await expectStillHeld();
      expect(await chainOf()).toEqual([answerId, ownId]);
    });

    it("if the id certifies another workspace's call", async () => {
      const ws = newId('ws');
      await reserve(otherId, { ws });
      await append(answerId, otherId, { ws });
      await reserve(ownId);
      expect(await endOf(append(answerId, ownId))).toBe('CONFLICT');
      await expectStillHeld();
      expect(await chainOf(ws)).toEqual([answerId]);
    });

    it.each([
      ['of this workspace', () => workspaceId],
      ['of another workspace', () => newId('ws')],
    ])('if the id is reserved for a call %s', async (_owner, toWorkspaceId) => {
      const ws = toWorkspaceId();
      await reserve(answerId, { ws });
      await reserve(ownId);
      expect(await endOf(append(answerId, ownId))).toBe('CONFLICT');
      expect(idOf(await append(answerId, answerId, { ws }))).toBe(answerId);
      await expectStillHeld();
    });

    it('if it belongs to another workspace', async () => {
      await reserve(ownId);
      expect(await endOf(append(answerId, ownId, { ws: newId('ws') }))).toBe('CONFLICT');
      expect(await stateOf(answerId)).toBeUndefined();
      await expectStillHeld();
    });

    it('and does not fail other writes of its commit', async () => {
      const ids = Array.from({ length: 8 }, () => newId('pf'));
      await reserve(answerId);
      await reserve(ownId);
      await Promise.all(ids.map((id) => reserve(id)));
      const ends = [...ids.map((id) => append(id, id)), append(answerId, ownId)].map(endOf);
      expect(await Promise.all(ends)).toEqual([...ids, 'CONFLICT']);
      await expectStillHeld();
    });
  });

  it('is rejected with CONFLICT if it was released or never existed, and the id stays unused', async () => {
    await reserve(ownId);
    await release(ownId);
    expect(await endOf(append(answerId, ownId))).toBe('CONFLICT');
    expect(await endOf(append(answerId, otherId))).toBe('CONFLICT');
    expect(await refusalOf(reserve(ownId))).toEqual({ code: 'proof_id_released' });
    await reserve(otherId);
    expect(idOf(await append(answerId, otherId))).toBe(answerId);
    await expectNoViolations();
  });

  describe('that expired', () => {
    it('is certified as lost under its own id, also for a late append', async () => {
      await reserve(ownId, { expiresInMs: 1 });
      await eventually(async () => (await stateOf(ownId))!.state === 'settled' || undefined);
      const certificate = await append(answerId, ownId);
      expect(toProof(certificate!).payload).toMatchObject({
        id: ownId,
        response: { finishReason: 'lost' },
      });
      expect(await stateOf(answerId)).toBeUndefined();
      await expectBalance(OPENING_CREDIT - 40, 0);
      await expectNoViolations();
    });

    it('is certified as lost under the id in its intent', async () => {
      await reserve(ownId, { expiresInMs: 1, lostProofId: answerId });
      await eventually(async () => (await stateOf(ownId))!.settled_as ?? undefined);
      const certificate = await append(answerId, ownId);
      expect(toProof(certificate!).payload).toMatchObject({
        id: answerId,
        response: { finishReason: 'lost' },
      });
      expect(await append(ownId, ownId)).toEqual(certificate);
      expect(await chainOf()).toEqual([answerId]);
      await expectBalance(OPENING_CREDIT - 40, 0);
      await expectNoViolations();
    });

    it('is certified as lost under its own id if the other id certifies another call', async () => {
      await reserve(otherId);
      await append(answerId, otherId);
      await reserve(ownId, { expiresInMs: 1, lostProofId: answerId });
      await eventually(async () => (await stateOf(ownId))!.state === 'settled' || undefined);
      expect(await chainOf()).toEqual([answerId, ownId]);
      await expectNoViolations();
    });
  });

  describe('is settled once in every order of', () => {
    const runRaces = async (run: () => Promise<string>): Promise<Map<string, number>> => {
      const ends = new Map<string, number>();
      for (let round = 0; round < ROUNDS; round += 1) {
        workspaceId = newId('ws');
        [ownId, otherId, answerId] = [newId('pf'), newId('pf'), newId('pf')];
        const end = await run();
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }
      await expectNoViolations();
      return ends;
    };

    it('the same append on two replicas', async () => {
      await runRaces(async () => {
        await reserve(ownId);
        const appends = [0, 1].map((replica) => append(answerId, ownId, { replica }));
        const [firstResult, secondResult] = await Promise.all(appends);
        expect(firstResult).toEqual(secondResult);
        expect(await chainOf()).toEqual([answerId]);
        await expectBalance(OPENING_CREDIT - 120, 0);
        return '';
      });
    });

    it('two appends with the same id', async () => {
      const ends = await runRaces(async () => {
        await reserve(ownId);
        await reserve(otherId);
        const appends = [
          endOf(append(answerId, ownId, { replica: 0 })),
          endOf(append(answerId, otherId, { replica: 1 })),
        ];
        const [firstResult, secondResult] = await Promise.all(appends);
        expect(new Set([firstResult, secondResult])).toEqual(new Set(['CONFLICT', answerId]));
        expect(await chainOf()).toEqual([answerId]);
        const rejectedId = firstResult === 'CONFLICT' ? ownId : otherId;
        expect(idOf(await append(rejectedId, rejectedId))).toBe(rejectedId);
        await expectBalance(OPENING_CREDIT - 240, 0);
        return rejectedId === ownId ? 'second' : 'first';
      });
      expect([...ends.values()].reduce((a, b) => a + b)).toBe(ROUNDS);
    });

    it('appends of two workspaces with the same id', async () => {
      await runRaces(async () => {
        const ws = newId('ws');
        await reserve(ownId);
        await reserve(otherId, { ws });
        const ends = await Promise.all([
          endOf(append(answerId, ownId, { replica: 0 })),
          endOf(append(answerId, otherId, { ws, replica: 1 })),
        ]);
        expect(ends.toSorted()).toEqual(['CONFLICT', answerId].toSorted());
        expect([...(await chainOf()), ...(await chainOf(ws))]).toEqual([answerId]);
        return '';
      });
    });

    it('an append under an id and a reserve of that id', async () => {
      await runRaces(async () => {
        await reserve(ownId);
        const [end, reserved] = await Promise.all([
          endOf(append(answerId, ownId, { replica: 0 })),
          reserve(answerId, { replica: 1 }).then(
            () => 'reserved',
            ({ fields }: { fields: { code: string } }) => fields.code,
          ),
        ]);
        const result = [end === answerId ? 'answer' : end, reserved].join(' ');
        expect(['answer proof_id_settled', 'CONFLICT reserved']).toContain(result);
        return result;
      });
    });

    it('its append and the sweeper', async () => {
      let round = 0;
      const ends = await runRaces(async () => {
        round += 1;
        const lostProofId = round % 2 ? answerId : '';
        await reserve(ownId, { expiresInMs: 1 + (round % 8), lostProofId });
        for (let turn = 0; turn < round % 19; turn += 1) await admin.query('SELECT 1');
        const certificate = await append(answerId, ownId);
        const id = idOf(certificate);
        const isLost = certificate!.payload.includes('"finishReason":"lost"');
        expect(await chainOf()).toEqual([id]);
        expect([ownId, answerId]).toContain(id);
        await expectBalance(OPENING_CREDIT - (isLost ? 40 : 120), 0);
        return isLost ? 'lost' : 'stop';
      });
      expect(ends.get('stop')).toBeGreaterThan(0);
    });

    it('its append and its release', async () => {
      await runRaces(async () => {
        await reserve(ownId);
        const [end] = await Promise.all([endOf(append(answerId, ownId)), release(ownId, 1)]);
        expect([answerId, 'CONFLICT']).toContain(end);
        expect(await chainOf()).toEqual(end === answerId ? [answerId] : []);
        await expectBalance(end === answerId ? OPENING_CREDIT - 120 : OPENING_CREDIT, 0);
        return end === answerId ? 'answer' : 'released';
      });
    });
  });
});
