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
      return { id: row.id, name: row.name, createdAt: row.createdAt };
    });
  return {
    get,
    rename: async (id, name) => {
      await database.scoped(workspaceScope(id), (em) =>
        em.nativeUpdate(WorkspaceEntity, { id }, { name }),
      );
      return await get(id);
    },
  };
};
