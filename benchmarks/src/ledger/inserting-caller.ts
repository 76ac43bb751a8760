// Inserts rows of certificates, one row per statement. Arguments: DATABASE_URL CONNECTIONS.
import pg from 'pg';
import { newId } from '@witan/service-kit';
import { runClosedLoop } from '../load/run-closed-loop.ts';
import type { LoadLimits, LoadResult } from '../load/run-closed-loop.ts';
import { serveProgram } from '../program/serve-program.ts';
import { PLAIN_TABLE } from './plain-table.ts';
import type { PlainRow } from './plain-table.ts';

/** `template`: the row to insert repeatedly, each time with a new id and position in the chain. */
export type InsertCommand = { limits: LoadLimits; template: PlainRow };

const [connectionString, connections] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: Number(connections) });
let chainIndex = 0;

const INSERT = {
  name: 'insert-plain',
  text: `INSERT INTO ${PLAIN_TABLE}
    (id, workspace_id, chain_index, payload, payload_hash, signature, key_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`,
};

const run = ({ limits, template }: InsertCommand): Promise<LoadResult> =>
  runClosedLoop(limits, async () => {
    const { workspace_id, payload, payload_hash, signature, key_id } = template;
    chainIndex += 1;
    const values = [newId('pf'), workspace_id, chainIndex];
    await pool.query({ ...INSERT, values: [...values, payload, payload_hash, signature, key_id] });
    return undefined;
  });

serveProgram({ ready: {}, answer: run, stop: () => pool.end() });
