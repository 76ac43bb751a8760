import type { ModelService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { WorkspaceModels } from '../../provider/workspace-models.ts';
import type { ModelCatalogue } from '../model-catalogue.ts';

/**
 * Creation time reported for all models, in seconds since the epoch; clients only require a number.
 */
const CREATED = 1_793_491_200n;
const ADDRESSES = ['service-auto', 'service-agent', 'service-sensitive'];

export const createListModels =
  (
    catalogue: ModelCatalogue,
    modelsOf: (workspaceId: string) => WorkspaceModels | Promise<WorkspaceModels>,
  ): Handlers<typeof ModelService>['listModels'] =>
  async (_request, { workspaceId }) => {
    const [catalogueModels, workspaceModels] = await Promise.all([
      catalogue.list(),
      modelsOf(workspaceId),
    ]);
    const models = [
      ...ADDRESSES.map((id) => ({ id, ownedBy: 'witan' })),
      ...[...workspaceModels.aliases.keys()].map((id) => ({ id, ownedBy: 'workspace' })),
      ...catalogueModels.map(({ id, provider }) => ({ id, ownedBy: provider })),
    ];
    // An alias may have the name of a model, which it replaces, so each name is listed once.
    const byId = new Map(models.toReversed().map((model) => [model.id, model]));
    return {
      models: [...byId.values()].toReversed().map((item) => ({ ...item, created: CREATED })),
    };
  };
