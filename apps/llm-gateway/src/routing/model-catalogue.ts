import type { Provider } from '../provider/provider.ts';

type CatalogueModel = { id: string; provider: Provider['name'] };

export type ModelCatalogue = {
  /**
   * Resolves within a second. For a provider that is slow or unreachable, it returns the last list
   * read from it, which is empty at first.
   */
  list: () => Promise<CatalogueModel[]>;
  isOfferedBy: (provider: Provider['name'], model: string) => Promise<boolean>;
};

const FRESH_MS = 60_000;
const FETCH_TIMEOUT_MS = 800;

type CatalogueEntry = {
  models: CatalogueModel[];
  fetchedAt: number;
  pending?: Promise<CatalogueModel[]>;
};

export const createModelCatalogue = (
  providers: Iterable<Provider>,
  options: { clock: () => number; onFailure: (provider: string, error: unknown) => void },
): ModelCatalogue => {
  const entries = new Map<Provider, CatalogueEntry>();
  for (const provider of providers) entries.set(provider, { models: [], fetchedAt: -Infinity });

  const fetchModels = async (
    provider: Provider,
    entry: CatalogueEntry,
  ): Promise<CatalogueModel[]> => {
    try {
      const ids = await provider.listModels(AbortSignal.timeout(FETCH_TIMEOUT_MS));
      entry.models = ids.map((id) => ({ id, provider: provider.name }));
    } catch (error) {
      // Retains the previous list: without it, the provider's models would be routed to another
      // one.
      options.onFailure(provider.name, error);
    }
    entry.fetchedAt = options.clock();
    delete entry.pending;
    return entry.models;
  };
  const read = ([provider, entry]: [Provider, CatalogueEntry]): Promise<CatalogueModel[]> => {
    if (options.clock() - entry.fetchedAt < FRESH_MS) return Promise.resolve(entry.models);
    entry.pending ??= fetchModels(provider, entry);
    return entry.pending;
  };
  return {
    list: async () => (await Promise.all([...entries].map(read))).flat(),
    isOfferedBy: async (name, model) => {
      const entry = [...entries].find(([provider]) => provider.name === name);
      return entry !== undefined && (await read(entry)).some(({ id }) => id === model);
    },
  };
};
