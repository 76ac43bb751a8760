import { notFound } from '@witan/contracts';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { Workspace, Workspaces } from '../keys.ts';
import { WorkspaceEntity } from './auth-entities.ts';

export const createWorkspaces = (database: Database): Workspaces => {
  const get = (id: string): Promise<Workspace> =>
    database.scoped(workspaceScope(id), async (em) => {
      const row = await em.findOne(WorkspaceEntity, { id });
      if (!row) throw notFound('There is no such workspace.');
      const { name, createdAt, storesResponses } = row;
      return { id, name, createdAt, storesResponses };
    });
  return {
    get,
    change: async (id, change) => {
      if (Object.keys(change).length > 0) {
        await database.scoped(workspaceScope(id), (em) =>
          em.nativeUpdate(WorkspaceEntity, { id }, change),
        );
      }
      return await get(id);
    },
  };
};
