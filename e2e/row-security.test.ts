import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { Client } from 'pg';

/** Tables without data of workspaces, and what they contain. */
const GLOBAL_TABLES: Readonly<Record<string, string>> = {
  'ledger.signing_key': 'the keys of the issuer',
  'ledger.chain_issuer': 'the name of the issuer',
  'ledger.log_identity': 'the name and secret of the transparency log',
  'ledger.log_key': 'the public keys of the log',
  'ledger.log_state': 'the size of the log',
  'ledger.log_tile': 'the hashes of the log, which are public',
  'ledger.epoch': 'the entries of the log, which are public',
  'ledger.epoch_keys': 'the public keys of the issuer in each epoch',
  'ledger.checkpoint': 'the published checkpoints of the log',
  'ledger.published': 'the newest of them',
  'ledger.witness': 'what each witness has cosigned',
  'notifier.inbox': 'ids of events that were handled',
};

/**
 * Tables with data of workspaces but without row-level security, and the reason why
 * (docs/threat-model.md).
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'agents.knowledge_base':
    'counts of words; the previous release reads it without a database scope',
  'agents.knowledge_entry': 'with the policy, PostgreSQL would not use its index',
};

const TABLES = `
  SELECT schemaname || '.' || c.relname AS name,
    c.relrowsecurity AND c.relforcerowsecurity AS forced
  FROM pg_tables AS t
  JOIN pg_class AS c ON c.oid = format('%I.%I', t.schemaname, t.tablename)::regclass
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename <> 'migration'
  ORDER BY 1`;

describe('tables of all services', () => {
  let system: TestSystem;
  let tables: { name: string; forced: boolean }[];
  beforeAll(async () => {
    system = await openTestSystem();
    const client = new Client({ connectionString: system.databaseUrl });
    await client.connect();
    tables = (await client.query<{ name: string; forced: boolean }>(TABLES)).rows;
    await client.end();
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  it('have forced row-level security, with listed exceptions', () => {
    expect(tables.length).toBeGreaterThan(30);
    const unprotected = tables.filter(({ forced }) => !forced).map(({ name }) => name);
    const listed = Object.keys({ ...GLOBAL_TABLES, ...EXCEPTIONS });
    expect(unprotected.toSorted()).toEqual(listed.toSorted());
  });
});
