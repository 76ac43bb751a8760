import { readScopeOnceSql, sqlMigration } from '@witan/service-kit';

const TABLES = ['account', 'certificate', 'chain_head', 'entry', 'reservation'];

/** A commit of many workspaces checks hundreds of rows against a scope of as many ids. */
export const ScopeReadOnce = sqlMigration(...TABLES.map((table) => readScopeOnceSql(table)));
