import type { Provider } from '../completion/ports.ts';

export type OfferedModel = { id: string; provider: Provider['name'] };

/** What the configured providers offer, remembered for a minute. */
export type ModelCatalogue = {
  /** Answers within a second: a provider that is slow or down is left out. */
  list: () => Promise<OfferedModel[]>;
  /** Whether a provider offers a model; asks it when what is known is old. */
  isOfferedBy: (provider: Provider['name'], model: string) => Promise<boolean>;
};

const FRESH_MS = 60_000;
/** Models lists must answer within a second (gateway.md rule 15). */
const ASK_TIMEOUT_MS = 800;

type CatalogueEntry = { models: OfferedModel[]; askedAt: number; asking?: Promise<OfferedModel[]> };

/** `onFailure` hears of providers that could not list their models. */
export const createModelCatalogue = (
  providers: Iterable<Provider>,
  options: { clock: () => number; onFailure: (provider: string, error: unknown) => void },
): ModelCatalogue => {
  const entries = new Map<Provider, CatalogueEntry>();
  for (const provider of providers) entries.set(provider, { models: [], askedAt: -Infinity });

  const ask = async (provider: Provider, entry: CatalogueEntry): Promise<OfferedModel[]> => {
    try {
      const ids = await provider.listModels(AbortSignal.timeout(ASK_TIMEOUT_MS));
      entry.models = ids.map((id) => ({ id, provider: provider.name }));
    } catch (error) {
      // What it offered before is the best that is known: a model must not change its provider
      // because a list was slow once.
      options.onFailure(provider.name, error);
    }
    entry.askedAt = options.clock();
    delete entry.asking;
    return entry.models;
  };
  const read = ([provider, entry]: [Provider, CatalogueEntry]): Promise<OfferedModel[]> => {
    if (options.clock() - entry.askedAt < FRESH_MS) return Promise.resolve(entry.models);
    entry.asking ??= ask(provider, entry);
    return entry.asking;
  };
  return {
    list: async () => (await Promise.all([...entries].map(read))).flat(),
    isOfferedBy: async (name, model) => {
      const entry = [...entries].find(([provider]) => provider.name === name);
      return entry !== undefined && (await read(entry)).some(({ id }) => id === model);
    },
  };
};
