import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

export type SqlFunction = { name: string; sql: string };

/**
 * Reads the SQL functions of a folder, each in a file `NAME.sql`. In a bundle, the call is replaced
 * by its result (`tools/release/src/bundle/plugins.ts`), because the files are not in it.
 */
export const readSqlFunctions = (folder: URL): SqlFunction[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .map((file) => ({
      name: file.slice(0, -'.sql'.length),
      sql: readFileSync(new URL(file, folder), 'utf8'),
    }));

type MigrationClass = new (...args: never[]) => Migration;

/** Returns the class of a migration that runs SQL texts, each of one or several statements. */
export const sqlMigration = (...statements: readonly string[]): MigrationClass =>
  class extends Migration {
    override up(): void {
      for (const sql of statements) this.addSql(sql);
    }
  };

/**
 * Returns a migration for each function. Its name contains a hash of the SQL text, so that each
 * text is applied only once. Otherwise a restarted replica of the previous release would apply its
 * old text again and replace the newer function. To return to an earlier text, change a comment in
 * it, which changes the hash.
 */
export const functionMigrations = (
  functions: readonly SqlFunction[],
): { name: string; class: MigrationClass }[] =>
  functions.map(({ name, sql }) => ({
    name: `function ${name} ${hashOf(sql)}`,
    class: sqlMigration(sql),
  }));

/** Number of hexadecimal digits of the hash in the name of a migration. */
const HASH_DIGITS = 16;

const hashOf = (sql: string): string =>
  createHash('sha256').update(sql).digest('hex').slice(0, HASH_DIGITS);

/**
 * Empty migration. It replaces one whose functions are now in files, or are called by no supported
 * release. The name of the replaced migration stays in the list: otherwise the previous release
 * would run it on a database that this release created.
 */
export const FunctionsMoved = sqlMigration();
