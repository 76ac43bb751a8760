import { describe, expect, it } from '@jest/globals';
import type { AuditEntry } from '../audit/audit.ts';
import type { RefusalReason, StoredKey } from './authenticate.ts';
import { recordRefusals } from './record-refusals.ts';

const keyOf = (keyId: string): StoredKey => ({
  keyId,
  workspaceId: 'ws_1',
  userId: 'usr_1',
  scopes: [],
  secretHash: new Uint8Array(32),
  expiresAt: null,
  revokedAt: null,
});

const open = () => {
  const fakes = {
    now: 1_000_000,
    fails: false,
    audit: [] as AuditEntry[],
    transactions: 0,
    deferred: [] as (() => void)[],
    failures: 0,
  };
  const refusals = recordRefusals({
    recordAudit: async (entries) => {
      fakes.transactions += 1;
      if (fakes.fails) throw new Error('database down');
      fakes.audit.push(...entries);
    },
    clock: () => fakes.now,
    defer: (work) => void fakes.deferred.push(work),
    onFailure: () => {
      fakes.failures += 1;
    },
  });
  const record = (reason: RefusalReason, keyId?: string): void => {
    refusals.record({ reason, key: keyId === undefined ? undefined : keyOf(keyId) });
  };
  return { fakes, record, flush: refusals.flush };
};

describe('refusals of keys', () => {
  it('are written after the response, with the reason and without an actor', async () => {
    const { fakes, record, flush } = open();
    record('revoked', 'key_1');
    expect([fakes.transactions, fakes.deferred.length]).toEqual([0, 1]);
    fakes.deferred[0]!();
    await flush();
    const action = 'key.refused';
    expect(fakes.audit).toEqual([
      { workspaceId: 'ws_1', action, subject: 'key_1', actor: 'unknown', detail: 'revoked' },
    ]);
  });

  it('are written once a minute per key and reason', async () => {
    const { fakes, record, flush } = open();
    const recordAll = async (): Promise<number> => {
      record('revoked', 'key_1');
      record('expired', 'key_1');
      record('revoked', 'key_2');
      await flush();
      return fakes.audit.length;
    };
    expect(await recordAll()).toBe(3);
    fakes.now += 59_999;
    expect(await recordAll()).toBe(3);
    fakes.now += 1;
    expect(await recordAll()).toBe(6);
  });

  it('are not written for unknown keys', async () => {
    const { fakes, record, flush } = open();
    for (const reason of ['missing', 'malformed', 'unknown'] as const) record(reason);
    await flush();
    expect(fakes).toMatchObject({ audit: [], transactions: 0, deferred: [] });
  });

  it('are reported if they cannot be written, and later ones are written', async () => {
    const { fakes, record, flush } = open();
    fakes.fails = true;
    record('revoked', 'key_1');
    await flush();
    expect(fakes.failures).toBe(1);
    fakes.fails = false;
    record('revoked', 'key_2');
    await flush();
    expect(fakes.audit).toMatchObject([{ subject: 'key_2' }]);
  });

  it('are written if they arrive while others are being written', async () => {
    const { fakes, record, flush } = open();
    await flush();
    record('revoked', 'key_1');
    const first = flush();
    record('revoked', 'key_2');
    await first;
    expect(fakes.audit.map(({ subject }) => subject)).toEqual(['key_1', 'key_2']);
  });

  it('use bounded memory and bounded transactions under load', async () => {
    const { fakes, record, flush } = open();
    for (let number = 0; number < 10_001; number += 1) record('wrong_secret', `key_${number}`);
    await flush();
    expect([fakes.audit.length, fakes.transactions]).toEqual([10_000, 20]);
    fakes.now += 60_000;
    record('wrong_secret', 'key_10000');
    await flush();
    expect(fakes.audit).toHaveLength(10_001);
  });
});
