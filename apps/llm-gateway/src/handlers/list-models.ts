import type { ModelService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { ModelCatalogue } from '../domain/route/model-catalogue.ts';
import type { WorkspaceModels } from '../domain/settings/workspace-models.ts';

/** When the addresses of this release came to be; clients only need a number. */
const CREATED = 1_793_491_200n;
const ADDRESSES = ['service-auto', 'service-agent', 'service-sensitive'];

/** Answers the service's own addresses, the workspace's aliases, and what providers offer. */
export const createListModels =
  (
    catalogue: ModelCatalogue,
    modelsOf: (workspaceId: string) => WorkspaceModels | Promise<WorkspaceModels>,
  ): Handlers<typeof ModelService>['listModels'] =>
  async (_request, { workspaceId }) => {
    const [offered, own] = await Promise.all([catalogue.list(), modelsOf(workspaceId)]);
    const listed = [
      ...ADDRESSES.map((id) => ({ id, ownedBy: 'witan' })),
      ...[...own.aliases.keys()].map((id) => ({ id, ownedBy: 'workspace' })),
      ...offered.map(({ id, provider }) => ({ id, ownedBy: provider })),
    ];
    // An alias may bear the name of a model, which then can be reached through it only.
    const byId = new Map(listed.toReversed().map((model) => [model.id, model]));
    return { models: [...byId.values()].toReversed().map((one) => ({ ...one, created: CREATED })) };
  };
