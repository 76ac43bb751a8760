import { captureTrace, workspaceScope } from '@witan/service-kit';
import type { Pool } from 'pg';
import type { BookFact } from '../domain/delivery/deliver-fact.ts';

/** Turns facts into deliveries in Postgres: plain `pg` and one round trip, as for attempts. */
export const createBookFact =
  (pool: Pool): BookFact =>
  async ({ id, workspaceId, type, idStem, envelope }) => {
    const { setting: workspace } = workspaceScope(workspaceId);
    const { before, behind } = envelope;
    const values = [workspace, id, type, idStem, before, behind, captureTrace()];
    const { rows } = await pool.query<{ made: number }>({ ...BOOK, values });
    return rows[0]!.made;
  };

const BOOK = {
  name: 'book_traced_fact',
  text: 'SELECT book_fact($1, $2, $3, $4, $5, $6, $7) AS made',
};
