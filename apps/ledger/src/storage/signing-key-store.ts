import type { Database } from '@witan/service-kit';
import { everyWorkspace } from '@witan/service-kit';
import type { StoredKey } from '../domain/signing-key/stored-key.ts';
import { SigningKeyEntity } from './entities.ts';

/** Every key that ever signed, newest first. */
export const listSigningKeys = (database: Database): Promise<StoredKey[]> =>
  database.scoped(everyWorkspace, async (em) => {
    const order = { notBefore: 'desc', notAfter: 'desc nulls first' } as const;
    const rows = await em.find(SigningKeyEntity, {}, { orderBy: order });
    return rows.map((row) => ({ ...row, notAfter: row.notAfter ?? null }));
  });

/**
 * Makes this key the current one. The row lock waits for appends that run; later ones with the old
 * key are refused by the books, so windows never disagree with certificates. A key that was
 * retired does not come back: that would reopen its window.
 */
export const makeCurrent = (
  database: Database,
  key: { keyId: string; publicKey: string },
): Promise<{ change: 'already current' | 'first key' | 'rotated'; notBefore: Date }> =>
  database.scoped(everyWorkspace, async (em) => {
    // One at a time: replicas that start together must not each insert a first key.
    await em.execute(`SELECT pg_advisory_xact_lock(hashtext('signing_key'))`);
    const [current] = await em.execute<{ key_id: string; not_before: Date }[]>(
      'SELECT key_id, not_before FROM signing_key WHERE not_after IS NULL FOR UPDATE',
    );
    if (current?.key_id === key.keyId) {
      return { change: 'already current', notBefore: new Date(current.not_before) };
    }
    const [{ at }] = (await em.execute(
      `SELECT greatest(clock_timestamp(), max(issued_at)) AS at FROM chain_head`,
    )) as [{ at: Date }];
    if (await em.count(SigningKeyEntity, { keyId: key.keyId })) {
      throw new Error(`Signing key ${key.keyId} was retired and cannot sign again; use a new key.`);
    }
    if (current) {
      await em.nativeUpdate(SigningKeyEntity, { keyId: current.key_id }, { notAfter: at });
    }
    const { keyId, publicKey } = key;
    await em.insert(SigningKeyEntity, { keyId, publicKey, notBefore: at, notAfter: null });
    return { change: current ? 'rotated' : 'first key', notBefore: new Date(at) };
  });

/** Rejects when another key has taken over: this process can certify nothing any more. */
export const checkCurrent = (database: Database, keyId: string): Promise<void> =>
  database.scoped(everyWorkspace, async (em) => {
    const isCurrent = await em.count(SigningKeyEntity, { keyId, notAfter: null });
    if (!isCurrent) throw new Error(`Signing key ${keyId} was retired; restart with the new one.`);
  });
