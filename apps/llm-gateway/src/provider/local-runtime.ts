import { toGeneratedTokens } from '@witan/contracts';
import { parseObject } from '@witan/dialects';
import type { JsonObject } from '@witan/dialects';
import { LOCAL_PROVIDER } from './provider.ts';
import type { Target } from './provider.ts';

/** What is known of a model of the local runtime. */
export type LocalModel = { contextTokens: number | undefined; tokenMs: number | undefined };

/** A finished call of any provider; `ending` is absent if it has no usage. */
export type MeasuredCall = {
  provider: string;
  model: string;
  durationMs: number;
  ending?: { promptTokens: number; completionTokens: number };
  /** Reason of a call that failed or was aborted. */
  failure?: string;
};

export type LocalRuntime = {
  /** Resolves within two seconds. */
  describe: (model: string) => Promise<LocalModel>;
  onEnded: (call: MeasuredCall) => void;
  /** Records the context window that an error of the runtime named. */
  onContext: (target: Pick<Target, 'provider' | 'model'>, contextTokens: number) => void;
};

type ReadJson = (
  path: string,
  options: { signal: AbortSignal; body?: object },
) => Promise<JsonObject | undefined>;

const FRESH_MS = 60_000;
const READ_TIMEOUT_MS = 2_000;
/** Share of the latest call in the mean, if it was faster; a slower one counts in full. */
const LATEST_SHARE = 0.3;
const TOKENS_MIN = 16;

/** Number of models of which something is known; agents can name any. */
const MODELS_MAX = 1_000;

type Entry = Partial<LocalModel> & { readAt: number; read?: Promise<void> };

/**
 * Creates the knowledge of the local runtime: its context window, as it last reported it or as an
 * error of it named it, and its speed in the calls so far.
 */
export const createLocalRuntime = (readJson: ReadJson, clock: () => number): LocalRuntime => {
  const known = new Map<string, Entry>();
  const entryOf = (model: string): Entry => {
    const entry = known.get(model) ?? { readAt: -Infinity };
    // Deleted first, so that the model that was not used for longest is the first entry.
    known.delete(model);
    known.set(model, entry);
    if (known.size > MODELS_MAX) known.delete(known.keys().next().value!);
    return entry;
  };
  const readWindow = async (model: string, entry: Entry): Promise<void> => {
    // A busy runtime may not respond in time; its window is still the one that is known.
    entry.contextTokens = (await readContextTokens(model, readJson)) ?? entry.contextTokens;
  };
  return {
    describe: async (model) => {
      const entry = entryOf(model);
      if (clock() - entry.readAt >= FRESH_MS) {
        entry.readAt = clock();
        entry.read = readWindow(model, entry);
      }
      await entry.read;
      return { contextTokens: entry.contextTokens, tokenMs: entry.tokenMs };
    },
    onEnded: ({ provider, model, durationMs, ending, failure }) => {
      if (provider !== LOCAL_PROVIDER || !ending) return;
      const { promptTokens, completionTokens } = ending;
      const tokens = toGeneratedTokens(promptTokens, completionTokens);
      if (tokens < TOKENS_MIN) return;
      const entry = entryOf(model);
      const tokenMs = durationMs / tokens;
      const earlier = entry.tokenMs;
      const mean = earlier === undefined ? tokenMs : earlier + (tokenMs - earlier) * LATEST_SHARE;
      // A call that ended early was not faster, and its prompt may not have been read.
      if (failure === undefined) entry.tokenMs = Math.max(tokenMs, mean);
      else if (earlier !== undefined) entry.tokenMs = Math.max(tokenMs, earlier);
    },
    onContext: ({ provider, model }, contextTokens) => {
      if (provider === LOCAL_PROVIDER) entryOf(model).contextTokens = contextTokens;
    },
  };
};

/**
 * Returns the context window of one call as llama.cpp, vLLM and similar runtimes, or Ollama, report
 * it; undefined if the runtime does not.
 */
const readContextTokens = async (
  model: string,
  readJson: ReadJson,
): Promise<number | undefined> => {
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  // A runtime that lacks an endpoint, or does not respond, reports nothing by it.
  const read = (path: string, body?: object): Promise<JsonObject | undefined> =>
    readJson(path, { signal, ...(body ? { body } : {}) }).catch(() => undefined);
  const [props, models, running, shown] = await Promise.all([
    read(`/props?model=${encodeURIComponent(model)}`),
    read('/v1/models'),
    read('/api/ps'),
    read('/api/show', { model }),
  ]);
  const listed = findModel(models?.['data'], model);
  return (
    toCount(asObject(props?.['default_generation_settings'])?.['n_ctx']) ??
    toCount(listed?.['max_model_len']) ??
    toCount(asObject(listed?.['meta'])?.['n_ctx']) ??
    toCount(findModel(running?.['models'], model)?.['context_length']) ??
    readParameter(shown?.['parameters'])
  );
};

const asObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : undefined;

const findModel = (list: unknown, model: string): JsonObject | undefined => {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const models = items.map(asObject).filter((item) => item !== undefined);
  const names = (item: JsonObject) => [item['id'], item['model'], item['name']];
  return models.find((item) =>
    [model, `${model}:latest`].some((name) => names(item).includes(name)),
  );
};

const toCount = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;

const readParameter = (parameters: unknown): number | undefined => {
  const found = typeof parameters === 'string' && /^num_ctx\s+(\d+)/m.exec(parameters);
  return found ? toCount(Number(found[1])) : undefined;
};

const CONTEXT_ERRORS = [
  /"n_ctx"\s*:\s*(\d+)/,
  /available context size \((\d+)/i,
  /maximum context length (?:is|of) (\d+)/i,
];

/** Returns the context window that an error response names; undefined if it names none. */
export const findContextTokens = (body: Uint8Array): number | undefined => {
  const text = Buffer.from(body).toString('utf8');
  if (!parseObject(text)) return undefined;
  const found = CONTEXT_ERRORS.map((error) => error.exec(text)?.[1]).find(
    (one) => one !== undefined,
  );
  return found === undefined ? undefined : toCount(Number(found));
};
