import { openDatabase } from '@witan/service-kit';
import type { Database, Log } from '@witan/service-kit';
import { ApiKeyEntity, AuditEntity, WorkspaceEntity } from './entities.ts';
import { Workspaces } from './migrations/0001-workspaces.ts';
import { KeysInFull } from './migrations/0002-keys-in-full.ts';
import { Idempotency } from './migrations/0003-idempotency.ts';

/** Opens and migrates the api-gateway's schema. */
export const openStorage = (url: string, log: Log): Promise<Database> =>
  openDatabase({
    url,
    schema: 'api_gateway',
    entities: [WorkspaceEntity, ApiKeyEntity, AuditEntity],
    migrations: [
      { name: '0001-workspaces', class: Workspaces },
      { name: '0002-keys-in-full', class: KeysInFull },
      { name: '0003-idempotency', class: Idempotency },
    ],
    log,
  });
