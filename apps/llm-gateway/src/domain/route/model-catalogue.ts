import type { Provider } from '../completion/ports.ts';

export type OfferedModel = { id: string; provider: Provider['name'] };

/** What the configured providers offer, remembered for a minute. */
export type ModelCatalogue = {
  /** Answers within a second: a provider that is slow or down is left out. */
  list: () => Promise<OfferedModel[]>;
  /** What is known without asking; starts asking when that is old. */
  isOfferedBy: (provider: Provider['name'], model: string) => boolean;
};

const FRESH_MS = 60_000;
/** Models lists must answer within a second (gateway.md rule 15). */
const ASK_TIMEOUT_MS = 800;

/** `onFailure` hears of providers that could not list their models. */
export const createModelCatalogue = (
  providers: Iterable<Provider>,
  options: { clock: () => number; onFailure: (provider: string, error: unknown) => void },
): ModelCatalogue => {
  const all = [...providers];
  let known: OfferedModel[] = [];
  let askedAt = -Infinity;
  let asking: Promise<OfferedModel[]> | undefined;

  const ask = async (): Promise<OfferedModel[]> => {
    const lists = await Promise.all(
      all.map((provider) => askProvider(provider, options.onFailure)),
    );
    known = lists.flat();
    askedAt = options.clock();
    asking = undefined;
    return known;
  };
  const list = (): Promise<OfferedModel[]> => {
    if (options.clock() - askedAt < FRESH_MS) return Promise.resolve(known);
    asking ??= ask();
    return asking;
  };
  return {
    list,
    isOfferedBy: (provider, model) => {
      // `askProvider` turns every failure into an empty list.
      void list();
      return known.some((offered) => offered.provider === provider && offered.id === model);
    },
  };
};

const askProvider = async (
  provider: Provider,
  onFailure: (provider: string, error: unknown) => void,
): Promise<OfferedModel[]> => {
  try {
    const ids = await provider.listModels(AbortSignal.timeout(ASK_TIMEOUT_MS));
    return ids.map((id) => ({ id, provider: provider.name }));
  } catch (error) {
    onFailure(provider.name, error);
    return [];
  }
};
