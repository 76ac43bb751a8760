import { defineEntity, p } from '@mikro-orm/core';
import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { CLOCK_DIFFERENCE_MAX_MS, ClockDifferenceError } from '../signing-clock.ts';
import type { KeyChange, KeyStore, StoredKey } from '../keyring.ts';

export const SigningKeyEntity = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_key',
  properties: {
    keyId: p.string().primary(),
    publicKey: p.text(),
    notBefore: p.datetime(),
    notAfter: p.datetime().nullable(),
  },
});

export const listSigningKeys = (database: Database): Promise<StoredKey[]> =>
  database.scoped(everyWorkspace, async (em) => {
    const order = { notBefore: 'desc', notAfter: 'desc nulls first' } as const;
    const rows = await em.find(SigningKeyEntity, {}, { orderBy: order });
    return rows.map((row) => ({ ...row, notAfter: row.notAfter ?? null }));
  });

export const createKeyStore = (database: Database, clock: () => number): KeyStore => ({
  makeCurrent: (key) => makeCurrent(database, key, clock),
  findCurrent: () =>
    database.scoped(everyWorkspace, async (em) => {
      const row = await em.findOne(SigningKeyEntity, { notAfter: null });
      return row ? { ...row, notAfter: null } : undefined;
    }),
});

/**
 * Puts a key in force. The row lock waits for running appends, and the database refuses later ones
 * with the old key, so every certificate is issued while its key is in force. A retired key is
 * refused, because its period of validity has ended for good.
 *
 * The old key stays valid until the last certificate, and the new one begins there, unless some
 * chain is dated ahead: then it begins now, because every later certificate of all workspaces is
 * dated after its beginning. Throws ClockDifferenceError, and changes nothing, if the clocks of
 * this process and the database differ.
 */
const makeCurrent = (
  database: Database,
  { keyId, publicKey }: Pick<StoredKey, 'keyId' | 'publicKey'>,
  clock: () => number,
): Promise<KeyChange> =>
  database.scoped(everyWorkspace, async (em) => {
    // Prevents replicas that start concurrently from each inserting a first key.
    await em.execute(`SELECT pg_advisory_xact_lock(hashtext('signing_key'))`);
    const [current] = await em.execute<{ key_id: string }[]>(
      'SELECT key_id FROM signing_key WHERE not_after IS NULL FOR UPDATE',
    );
    if (current?.key_id === keyId) return 'already current';
    if (await em.count(SigningKeyEntity, { keyId })) return 'retired';
    const [{ now, endedAt }] = (await em.execute(NOW_AND_LAST, [])) as [
      { now: string; endedAt: string },
    ];
    const nowMs = Date.parse(now);
    const differenceMs = clock() - nowMs;
    if (Math.abs(differenceMs) > CLOCK_DIFFERENCE_MAX_MS) {
      throw new ClockDifferenceError(differenceMs);
    }
    const isAhead = Date.parse(endedAt) - nowMs > CLOCK_DIFFERENCE_MAX_MS;
    const [notBefore, notAfter] = [new Date(isAhead ? now : endedAt), new Date(endedAt)];
    if (current) {
      await em.nativeUpdate(SigningKeyEntity, { keyId: current.key_id }, { notAfter });
    }
    await em.insert(SigningKeyEntity, { keyId, publicKey, notBefore, notAfter: null });
    return current ? 'rotated' : 'first key';
  });

const NOW_AND_LAST = `
  SELECT clock.now, greatest(clock.now, (SELECT max(issued_at) FROM chain_head)) AS "endedAt"
  FROM (SELECT clock_timestamp() AS now) AS clock`;

/** Resolves with the database's time in milliseconds since the epoch. */
export const readDatabaseTime = (database: Database): Promise<number> =>
  database.scoped(everyWorkspace, async (em) => {
    const [row] = await em.execute<{ now: string }[]>('SELECT clock_timestamp() AS now');
    return Date.parse(row!.now);
  });

/**
 * Stores the issuer at the first start and throws if it differs later, because every chain's
 * genesis hash depends on it.
 */
export const ensureIssuer = (database: Database, issuer: string): Promise<void> =>
  database.scoped(everyWorkspace, async (em) => {
    await em.execute('INSERT INTO chain_issuer (issuer) VALUES (?) ON CONFLICT DO NOTHING', [
      issuer,
    ]);
    const [storedRow] = await em.execute<{ issuer: string }[]>('SELECT issuer FROM chain_issuer');
    if (storedRow!.issuer === issuer) return;
    throw new Error(
      `These chains were issued by "${storedRow!.issuer}", but WITAN_ISSUER is "${issuer}": an ` +
        'issuer never changes. Restore the setting, or use another database.',
    );
  });
