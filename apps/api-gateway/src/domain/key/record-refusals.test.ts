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
  const world = {
    now: 1_000_000,
    fails: false,
    audit: [] as AuditEntry[],
    transactions: 0,
    deferred: [] as (() => void)[],
    failures: 0,
  };
  const refusals = recordRefusals({
    recordAudit: async (entries) => {
      world.transactions += 1;
      if (world.fails) throw new Error('database down');
      world.audit.push(...entries);
    },
    clock: () => world.now,
    defer: (work) => void world.deferred.push(work),
    onFailure: () => {
      world.failures += 1;
    },
  });
  const note = (reason: RefusalReason, keyId?: string): void => {
    refusals.note({ reason, key: keyId === undefined ? undefined : keyOf(keyId) });
  };
  return { world, note, flush: refusals.flush };
};

describe('refusals of keys', () => {
  it('are written after the response, with the reason and without an actor', async () => {
    const { world, note, flush } = open();
    note('revoked', 'key_1');
    expect([world.transactions, world.deferred.length]).toEqual([0, 1]);
    world.deferred[0]!();
    await flush();
    const action = 'key.refused';
    expect(world.audit).toEqual([
      { workspaceId: 'ws_1', action, subject: 'key_1', actor: 'unknown', detail: 'revoked' },
    ]);
  });

  it('are written once a minute for a key and a reason', async () => {
    const { world, note, flush } = open();
    const noteAll = async (): Promise<number> => {
      note('revoked', 'key_1');
      note('expired', 'key_1');
      note('revoked', 'key_2');
      await flush();
      return world.audit.length;
    };
    expect(await noteAll()).toBe(3);
    world.now += 59_999;
    expect(await noteAll()).toBe(3);
    world.now += 1;
    expect(await noteAll()).toBe(6);
  });

  it('are not written for unknown keys', async () => {
    const { world, note, flush } = open();
    for (const reason of ['missing', 'malformed', 'unknown'] as const) note(reason);
    await flush();
    expect(world).toMatchObject({ audit: [], transactions: 0, deferred: [] });
  });

  it('are reported when they cannot be written, and the next ones are written', async () => {
    const { world, note, flush } = open();
    world.fails = true;
    note('revoked', 'key_1');
    await flush();
    expect(world.failures).toBe(1);
    world.fails = false;
    note('revoked', 'key_2');
    await flush();
    expect(world.audit).toMatchObject([{ subject: 'key_2' }]);
  });

  it('are written that come while others are being written', async () => {
    const { world, note, flush } = open();
    await flush();
    note('revoked', 'key_1');
    const first = flush();
    note('revoked', 'key_2');
    await first;
    expect(world.audit.map(({ subject }) => subject)).toEqual(['key_1', 'key_2']);
  });

  it('take bounded memory in a flood, and bounded transactions', async () => {
    const { world, note, flush } = open();
    for (let number = 0; number < 10_001; number += 1) note('wrong_secret', `key_${number}`);
    await flush();
    expect([world.audit.length, world.transactions]).toEqual([10_000, 20]);
    world.now += 60_000;
    note('wrong_secret', 'key_10000');
    await flush();
    expect(world.audit).toHaveLength(10_001);
  });
});
