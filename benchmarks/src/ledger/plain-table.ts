import type pg from 'pg';
import { genesisHash, parseKeyList } from '@witan/proof';
import type { ChainSource } from '../chain/check-chain.ts';
import { withConnection } from '../database.ts';

export type PlainRow = {
  id: string;
  workspace_id: string;
  chain_index: string;
  payload: string;
  payload_hash: string;
  signature: string;
  key_id: string;
};

/** Table into which the reference inserts, instead of the ledger's certificate table. */
export const PLAIN_TABLE = 'plain_certificate';

/**
 * Creates an empty copy of the ledger's certificate table with its checks and indexes. Returns the
 * certificate with the highest position in a chain, as a template for inserts.
 */
export const createPlainTable = (adminUrl: string): Promise<PlainRow> =>
  withConnection(adminUrl, async (client) => {
    await client.query(`CREATE TABLE ${PLAIN_TABLE} (LIKE ledger.certificate INCLUDING ALL)`);
    const { rows } = await client.query<PlainRow>(
      'SELECT * FROM ledger.certificate ORDER BY chain_index DESC LIMIT 1',
    );
    if (!rows[0]) throw new Error('The ledger has no certificate to use as a template.');
    return rows[0];
  });

type KeyRow = { key_id: string; public_key: string; not_before: Date; not_after: Date | null };

/**
 * Calls `run` with a workspace's chain, which is read from the ledger's tables. Closes the
 * connection when `run` has resolved or rejected.
 */
export const readChain = <T>(
  adminUrl: string,
  options: { issuer: string; workspaceId: string },
  run: (chain: Omit<ChainSource, 'ids'>) => Promise<T>,
): Promise<T> =>
  withConnection(adminUrl, async (client) => {
    const { rows } = await client.query<KeyRow>('SELECT * FROM ledger.signing_key');
    const keys = rows.map((row) => ({
      keyId: row.key_id,
      publicKey: row.public_key,
      notBefore: row.not_before.toISOString(),
      notAfter: row.not_after?.toISOString() ?? null,
    }));
    return run({
      issuer: options.issuer,
      genesis: genesisHash(options.issuer, options.workspaceId),
      keys: parseKeyList(keys),
      certificates: readCertificates(client, options.workspaceId),
    });
  });

/** Maximum number of certificates that one query reads. */
const PAGE_ROWS = 2_000;

async function* readCertificates(client: pg.Client, workspaceId: string): AsyncGenerator {
  for (let from = 0; ; from += PAGE_ROWS) {
    const { rows } = await client.query<PlainRow>(
      `SELECT * FROM ledger.certificate
       WHERE workspace_id = $1 AND chain_index >= $2 ORDER BY chain_index LIMIT $3`,
      [workspaceId, from, PAGE_ROWS],
    );
    for (const { payload, payload_hash, signature } of rows) {
      yield { payload: JSON.parse(payload), payload_hash, signature, algorithm: 'Ed25519' };
    }
    if (rows.length < PAGE_ROWS) return;
  }
}
