import { Migration } from '@mikro-orm/migrations';
import { readScopeOnceSql, rowSecuritySql } from '@witan/service-kit';

const WORKSPACE_TABLES = ['tree', 'tree_head', 'tree_tile'];
const APPEND_ONLY = ['log_identity', 'log_key', 'tree_head', 'epoch', 'epoch_keys', 'checkpoint'];
const TILES = ['tree_tile', 'log_tile'];

/**
 * Adds the tables of the transparency log (docs/transparency.md). Commits of certificates do not
 * use them, so replicas of the previous release may run beside this one.
 */
export class TransparencyLog extends Migration {
  override up(): void {
    this.addTreeTables();
    this.addLogTables();
    this.addSql(`
      CREATE FUNCTION refuse_other_than_growth() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP <> 'UPDATE' THEN RAISE EXCEPTION '% only grows', TG_TABLE_NAME; END IF;
        IF substring(NEW.hashes FROM 1 FOR octet_length(OLD.hashes)) <> OLD.hashes
          OR (NEW.level, NEW.n) <> (OLD.level, OLD.n)
        THEN RAISE EXCEPTION '% only grows', TG_TABLE_NAME; END IF;
        RETURN NEW;
      END $$`);
    for (const table of TILES) {
      this.addSql(`ALTER TABLE ${table} ALTER COLUMN hashes SET STORAGE EXTERNAL`);
      this.addSql(`
        CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE ON ${table}
        FOR EACH ROW EXECUTE FUNCTION refuse_other_than_growth()`);
      this.addSql(`
        CREATE TRIGGER no_truncate BEFORE TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`);
    }
    for (const table of APPEND_ONLY) {
      this.addSql(`
        CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`);
    }
    for (const table of WORKSPACE_TABLES) {
      this.addSql(rowSecuritySql(table));
      this.addSql(readScopeOnceSql(table));
    }
  }

  private addTreeTables(): void {
    // The right edge of a tree is at most 64 hashes. Without its secret a workspace is left out of
    // later maps, and its values in earlier ones can no longer be linked to it.
    this.addSql(`
      CREATE TABLE tree (
        workspace_id text PRIMARY KEY,
        map_key bytea NOT NULL UNIQUE CHECK (octet_length(map_key) = 32),
        secret bytea CHECK (octet_length(secret) = 32),
        size bigint NOT NULL CHECK (size > 0),
        root bytea NOT NULL CHECK (octet_length(root) = 32),
        edge bytea NOT NULL CHECK (octet_length(edge) BETWEEN 32 AND 2048)
      ) WITH (fillfactor = 50)`);
    // `path`: the siblings of the head in the map of its epoch, the leaf's first.
    this.addSql(`
      CREATE TABLE tree_head (
        workspace_id text NOT NULL,
        size bigint NOT NULL CHECK (size > 0),
        root bytea NOT NULL CHECK (octet_length(root) = 32),
        epoch bigint NOT NULL,
        path bytea NOT NULL,
        PRIMARY KEY (workspace_id, size),
        UNIQUE (workspace_id, epoch)
      )`);
    // Level 0 has full tiles only; a partial one is computed from certificates.
    this.addSql(`
      CREATE TABLE tree_tile (
        workspace_id text NOT NULL,
        level smallint NOT NULL,
        n bigint NOT NULL,
        hashes bytea NOT NULL,
        PRIMARY KEY (workspace_id, level, n),
        CHECK (octet_length(hashes) BETWEEN 32 AND 8192 AND octet_length(hashes) % 32 = 0),
        CHECK (level > 0 OR octet_length(hashes) = 8192)
      )`);
  }

  private addLogTables(): void {
    this.addSql(`
      CREATE TABLE log_identity (
        only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
        origin text NOT NULL,
        secret bytea NOT NULL CHECK (octet_length(secret) = 32)
      )`);
    // Each public key that the log ever had, because old checkpoints are verified under them.
    this.addSql(`
      CREATE TABLE log_key (
        vkey text PRIMARY KEY,
        at timestamptz NOT NULL DEFAULT now()
      )`);
    // `root`: that of the log of n + 1 epochs.
    this.addSql(`
      CREATE TABLE epoch (
        n bigint PRIMARY KEY CHECK (n >= 0),
        entry text NOT NULL,
        root bytea NOT NULL CHECK (octet_length(root) = 32),
        at timestamptz NOT NULL DEFAULT now()
      )`);
    // Lists of certificate keys in canonical JSON, by the hash that epochs name.
    this.addSql(`CREATE TABLE epoch_keys (hash text PRIMARY KEY, keys text NOT NULL)`);
    this.addSql(`
      CREATE TABLE log_tile (
        level smallint NOT NULL,
        n bigint NOT NULL,
        hashes bytea NOT NULL,
        PRIMARY KEY (level, n),
        CHECK (octet_length(hashes) BETWEEN 32 AND 8192 AND octet_length(hashes) % 32 = 0),
        CHECK (level > 0 OR octet_length(hashes) = 8192)
      )`);
    this.addSql(`
      CREATE TABLE log_state (
        only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
        size bigint NOT NULL CHECK (size >= 0),
        edge bytea NOT NULL,
        halted text
      )`);
    this.addSql(`INSERT INTO log_state (size, edge) VALUES (0, '')`);
    // Checkpoints as they were first published under a policy, for the witnessed times of bundles.
    this.addSql(`
      CREATE TABLE checkpoint (
        policy_id text NOT NULL,
        size bigint NOT NULL CHECK (size > 0),
        note text NOT NULL,
        PRIMARY KEY (policy_id, size)
      )`);
    this.addSql(`
      CREATE TABLE published (
        only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
        size bigint NOT NULL,
        note text NOT NULL,
        at timestamptz NOT NULL
      )`);
    this.addSql(`
      CREATE TABLE witness (
        name text PRIMARY KEY,
        size bigint NOT NULL,
        at timestamptz,
        refused text
      )`);
  }
}
