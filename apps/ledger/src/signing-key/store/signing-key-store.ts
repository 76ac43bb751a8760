import type { Database } from '@witan/service-kit';
import { everyWorkspace } from '@witan/service-kit';
import type { KeyChange, KeyStore } from '../keyring.ts';
import type { StoredKey } from '../stored-key.ts';
import { SigningKeyEntity } from './signing-key-entities.ts';

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
    const [{ at }] = (await em.execute(
      `SELECT greatest(clock_timestamp(), max(issued_at)) AS at FROM chain_head`,
    )) as [{ at: Date }];
    if (current) {
      await em.nativeUpdate(SigningKeyEntity, { keyId: current.key_id }, { notAfter: at });
    }
    await em.insert(SigningKeyEntity, { keyId, publicKey, notBefore: at, notAfter: null });
    return current ? 'rotated' : 'first key';
  });
