export { createSystem } from './system/create-system.ts';
export type { System, SystemFile, SystemOptions } from './system/create-system.ts';
export { openEmbeddedPostgres } from './postgres/open-embedded-postgres.ts';
export type { EmbeddedPostgres } from './postgres/open-embedded-postgres.ts';
export { provisionDatabases } from './postgres/provision.ts';
export { findDatabaseUrl } from './postgres/service-database.ts';
