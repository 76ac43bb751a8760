import { defineEntity, p } from '@mikro-orm/core';
import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
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

export const createKeyStore = (database: Database): KeyStore => ({
  makeCurrent: (key) => makeCurrent(database, key),
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
 */
const makeCurrent = (
  database: Database,
  { keyId, publicKey }: Pick<StoredKey, 'keyId' | 'publicKey'>,
): Promise<KeyChange> =>
  database.scoped(everyWorkspace, async (em) => {
    // Prevents replicas that start concurrently from each inserting a first key.
    await em.execute(`SELECT pg_advisory_xact_lock(hashtext('signing_key'))`);
    const [current] = await em.execute<{ key_id: string }[]>(
      'SELECT key_id FROM signing_key WHERE not_after IS NULL FOR UPDATE',
    );
    if (current?.key_id === keyId) return 'already current';
    if (await em.count(SigningKeyEntity, { keyId })) return 'retired';
    const [{ changedAt }] = (await em.execute(
      `SELECT greatest(clock_timestamp(), max(issued_at)) AS "changedAt" FROM chain_head`,
    )) as [{ changedAt: Date }];
    if (current) {
      await em.nativeUpdate(SigningKeyEntity, { keyId: current.key_id }, { notAfter: changedAt });
    }
    await em.insert(SigningKeyEntity, { keyId, publicKey, notBefore: changedAt, notAfter: null });
    return current ? 'rotated' : 'first key';
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
