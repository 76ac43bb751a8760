import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { HaltStore } from '../anchor.ts';
import type { WitnessStore } from '../witnesses.ts';

/** The size of a witness is changed only if its response named one. */
const SAVE = `
  INSERT INTO witness AS known (name, size, at, refused)
  VALUES ($1, coalesce($2::bigint, 0), CASE WHEN $3 THEN now() END, $4)
  ON CONFLICT (name) DO UPDATE SET
    size = coalesce($2::bigint, known.size),
    at = coalesce(excluded.at, known.at),
    refused = excluded.refused`;

/** Returns a function that finds the log as it was with a number of epochs. */
const createFindHead =
  (database: Database): HaltStore['findHead'] =>
  (size) =>
    database.scopedClient(everyWorkspace, async (client) => {
      const { rows } = await client.query<{ root: Buffer }>('SELECT root FROM epoch WHERE n = $1', [
        size - 1,
      ]);
      return rows[0] && { size, root: rows[0].root };
    });

export const createHaltStore = (database: Database): HaltStore => ({
  findHead: createFindHead(database),
  halt: (reason) =>
    database.scopedClient(everyWorkspace, async (client) => {
      await client.query('UPDATE log_state SET halted = coalesce(halted, $1)', [reason]);
    }),
  resume: (reason) =>
    database.scopedClient(everyWorkspace, async (client) => {
      await client.query('UPDATE log_state SET halted = NULL WHERE halted = $1', [reason]);
    }),
});

export const createWitnessStore = (database: Database): WitnessStore => ({
  loadSizes: () =>
    database.scopedClient(everyWorkspace, async (client) => {
      const { rows } = await client.query<{ name: string; size: string }>(
        'SELECT name, size FROM witness',
      );
      return new Map(rows.map(({ name, size }) => [name, Number(size)]));
    }),
  save: (states) =>
    database.scopedClient(everyWorkspace, async (client) => {
      for (const { name, size, hasCosigned, refused } of states) {
        await client.query(SAVE, [name, size, hasCosigned, refused]);
      }
    }),
  findHead: createFindHead(database),
});
