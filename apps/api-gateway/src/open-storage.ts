import { openDatabase } from '@witan/service-kit';
import type { Database, Log } from '@witan/service-kit';
import { ApiKeyEntity, AuditEntity, WorkspaceEntity } from './storage/entities.ts';
import { MIGRATIONS } from './migrations/migrations.ts';

export const openStorage = (url: string, log: Log): Promise<Database> =>
  openDatabase({
    url,
    schema: 'api_gateway',
    entities: [WorkspaceEntity, ApiKeyEntity, AuditEntity],
    migrations: MIGRATIONS,
    log,
  });
