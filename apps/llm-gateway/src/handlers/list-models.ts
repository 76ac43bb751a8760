import type { ModelService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { ModelCatalogue } from '../domain/route/model-catalogue.ts';

/** When the addresses of this release came to be; clients only need a number. */
const CREATED = 1_793_491_200n;
const ADDRESSES = ['service-auto', 'service-agent', 'service-sensitive'];

/** Answers the service's own addresses, then what the configured providers offer. */
export const createListModels =
  (catalogue: ModelCatalogue): Handlers<typeof ModelService>['listModels'] =>
  async () => {
    const own = ADDRESSES.map((id) => ({ id, ownedBy: 'witan', created: CREATED }));
    const offered = (await catalogue.list()).map(({ id, provider }) => ({
      id,
      ownedBy: provider,
      created: CREATED,
    }));
    return { models: [...own, ...offered] };
  };
