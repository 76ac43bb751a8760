import { Migration } from '@mikro-orm/migrations';

/**
 * Adds argument types of the functions that commit writes: each is a list of rows, with an array
 * per column, because arrays are parsed faster than JSON or an array of rows. The types of a
 * released function never change; a function with other arguments gets another name and types.
 */
export class CommitColumns extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TYPE reserve_columns AS (
        id text[], workspace_id text[], amount bigint[], minimum bigint[], intent bytea[],
        expires_in_ms integer[]
      );
      CREATE TYPE release_columns AS (id text[], workspace_id text[], only_unsent boolean[]);
      CREATE TYPE head_columns AS (
        workspace_id text[], old_index bigint[], old_hash text[], new_index bigint[],
        new_hash text[], issued_at timestamptz[]
      )`);
  }
}
