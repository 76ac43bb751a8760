import { describeError, fail, ok, warn } from './check.ts';
import type { Check } from './check.ts';
import { DATE_UNCERTAINTY_MS, judgeOffset } from './judge-clock.ts';

export type ProviderFacts = {
  /** `openai`, `anthropic`, `local`, or a name of the providers file. */
  name: string;
  baseUrl: string;
  hasKey: boolean;
  /** Models that are routed to it by default. */
  models: readonly string[];
  receivedAtMs: number;
  result:
    | { error: unknown }
    | { status: number; date: string | undefined; models: readonly string[] | undefined };
};

const VARIABLES: Readonly<Record<string, { key: string; baseUrl: string }>> = {
  openai: { key: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
  anthropic: { key: 'ANTHROPIC_API_KEY', baseUrl: 'ANTHROPIC_BASE_URL' },
  local: { key: 'LOCAL_BASE_URL', baseUrl: 'LOCAL_BASE_URL' },
};

const HOSTED_MODELS = 'WITAN_MODEL_FULL, _CHEAP and _SMALL';
const MODEL_SETTINGS: Readonly<Record<string, string>> = {
  openai: HOSTED_MODELS,
  anthropic: HOSTED_MODELS,
  local: 'LOCAL_MODEL',
};

/** Where an entry of the providers file is configured. */
const IN_FILE = {
  key: 'key in the variable that WITAN_PROVIDERS_FILE names',
  baseUrl: 'the baseUrl in WITAN_PROVIDERS_FILE',
};

/** Judges a provider by the result of its listing call. */
export const judgeProvider = (facts: ProviderFacts): Check[] => {
  const { result, receivedAtMs } = facts;
  const checks = [judgeListing(facts)];
  const dateMs = 'error' in result ? Number.NaN : Date.parse(result.date ?? '');
  if (Number.isNaN(dateMs)) return checks;
  const offset = { offsetMs: dateMs - receivedAtMs, uncertaintyMs: DATE_UNCERTAINTY_MS };
  return [...checks, judgeOffset(`provider ${facts.name} clock`, { ...offset, of: facts.name })];
};

const judgeListing = ({
  name: provider,
  baseUrl,
  hasKey,
  models,
  result,
}: ProviderFacts): Check => {
  const name = `provider ${provider}`;
  const variables = VARIABLES[provider] ?? IN_FILE;
  if ('error' in result) {
    const message = `${baseUrl} cannot be reached: ${describeError(result.error)}.`;
    const advice = `Check the network, proxies and ${variables.baseUrl}.`;
    return fail(name, { message, advice });
  }
  const { status } = result;
  if (status === 401 || status === 403) {
    const message = hasKey
      ? `${baseUrl} refuses the key (HTTP ${status}).`
      : `${baseUrl} requires a key (HTTP ${status}).`;
    return fail(name, { message, advice: `Set a valid ${variables.key}.` });
  }
  if (status >= 300 && status < 400) {
    const message = `${baseUrl} redirects (HTTP ${status}); redirects are not followed.`;
    return fail(name, { message, advice: `Set ${variables.baseUrl} to the address itself.` });
  }
  if (status !== 200 || result.models === undefined) {
    const message = `${baseUrl} does not list its models (HTTP ${status}).`;
    const advice = `Check that ${variables.baseUrl} includes the path of the API; calls may work.`;
    return warn(name, { message, advice });
  }
  const missing = models.filter((model) => !result.models!.includes(model));
  if (missing.length > 0) {
    const message = `${baseUrl} does not list ${missing.join(', ')}.`;
    const variable = MODEL_SETTINGS[provider] ?? 'the models in WITAN_PROVIDERS_FILE';
    return fail(name, { message, advice: `Set ${variable} to listed models.` });
  }
  return ok(name, `${baseUrl} lists ${result.models.length} models`);
};
