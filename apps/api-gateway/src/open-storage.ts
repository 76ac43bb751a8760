import { openDatabase } from '@witan/service-kit';
import type { Database, Log } from '@witan/service-kit';
import { AuditEntity } from './audit/store/audit-entities.ts';
import { ApiKeyEntity, WorkspaceEntity } from './auth/store/auth-entities.ts';
import { MIGRATIONS } from './migrations/migrations.ts';

export const openStorage = (
  url: string,
  log: Log,
  limits: { waitMs?: number } = {},
): Promise<Database> =>
  openDatabase({
    url,
    schema: 'api_gateway',
    entities: [WorkspaceEntity, ApiKeyEntity, AuditEntity],
    migrations: MIGRATIONS,
    log,
    ...limits,
  });
