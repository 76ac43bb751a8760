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

type Shelf = { models: OfferedModel[]; askedAt: number; asking?: Promise<OfferedModel[]> };

/** `onFailure` hears of providers that could not list their models. */
export const createModelCatalogue = (
  providers: Iterable<Provider>,
  options: { clock: () => number; onFailure: (provider: string, error: unknown) => void },
): ModelCatalogue => {
  const shelves = new Map<Provider, Shelf>();
  for (const provider of providers) shelves.set(provider, { models: [], askedAt: -Infinity });

  const ask = async (provider: Provider, shelf: Shelf): Promise<OfferedModel[]> => {
    try {
      const ids = await provider.listModels(AbortSignal.timeout(ASK_TIMEOUT_MS));
      shelf.models = ids.map((id) => ({ id, provider: provider.name }));
    } catch (error) {
      // What it offered before is the best that is known: a model must not change its provider
      // because a list was slow once.
      options.onFailure(provider.name, error);
    }
    shelf.askedAt = options.clock();
    delete shelf.asking;
    return shelf.models;
  };
  const read = ([provider, shelf]: [Provider, Shelf]): Promise<OfferedModel[]> => {
    if (options.clock() - shelf.askedAt < FRESH_MS) return Promise.resolve(shelf.models);
    shelf.asking ??= ask(provider, shelf);
    return shelf.asking;
  };
  return {
    list: async () => (await Promise.all([...shelves].map(read))).flat(),
    isOfferedBy: async (name, model) => {
      const shelf = [...shelves].find(([provider]) => provider.name === name);
      return shelf !== undefined && (await read(shelf)).some(({ id }) => id === model);
    },
  };
};
