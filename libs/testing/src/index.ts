export { createTestDatabase, type TestDatabase } from './postgres/create-test-database.ts';
export { openTestPostgres, type TestPostgres } from './postgres/open-test-postgres.ts';
export { openTestSystem } from './open-test-system.ts';
export type { TestSystem, TestSystemOptions } from './open-test-system.ts';
