import { invalidRequest } from '@witan/contracts';
import type { CheckedProvider } from './check-providers.ts';
import { locateTargets } from './check-settings.ts';
import type { StoredModels, StoredProvider, ProviderDraft } from './ports.ts';

/** Characters of a key that are shown, and the length below which none are. */
const PREVIEW_LENGTH = 4;
const PREVIEWED_LENGTH_MIN = 12;

type Circumstances = {
  /** Names of the operator's providers. */
  operatorProviders: readonly string[];
  newVersion: () => string;
  now: Date;
};

/**
 * Decides what takes the place of the providers that are kept. A kept key stays bound to where it
 * may go: whoever may write settings could else send it to a host of their own. Throws
 * INVALID_REQUEST when a key is missing, or a target still names a provider that would be gone.
 */
export const replaceProviders = (
  stored: StoredModels,
  wanted: readonly CheckedProvider[],
  circumstances: Circumstances,
): ProviderDraft[] => {
  const names = new Set([...circumstances.operatorProviders, ...wanted.map(({ name }) => name)]);
  for (const { target, path } of locateTargets(stored.settings)) {
    if (names.has(target.provider)) continue;
    throw invalidRequest(
      `"${target.provider}" is still named by ${path}; change that target first.`,
      { param: 'providers' },
    );
  }
  const known = new Map(stored.providers.map((provider) => [provider.name, provider]));
  return wanted.map((provider, index) =>
    provider.apiKey === undefined
      ? reuseKey(provider, known.get(provider.name), `providers[${index}].apiKey`)
      : {
          ...provider,
          keyPreview: toPreview(provider.apiKey),
          version: circumstances.newVersion(),
          updatedAt: circumstances.now,
        },
  );
};

const reuseKey = (
  { name, dialect, baseUrl }: CheckedProvider,
  stored: StoredProvider | undefined,
  param: string,
): ProviderDraft => {
  if (!stored) throw invalidRequest(`${param}: a new provider needs its key.`, { param });
  if (stored.dialect === dialect && stored.baseUrl === baseUrl)
    return { ...stored, apiKey: undefined };
  throw invalidRequest(
    `${param}: the dialect or base URL of "${name}" changes, and its key goes nowhere else than ` +
      'it was given for; give the key again.',
    { param },
  );
};

/** `…3f9c`; of a short key nothing, because little would be left to guess. */
const toPreview = (apiKey: string): string =>
  apiKey.length < PREVIEWED_LENGTH_MIN ? '…' : `…${apiKey.slice(-PREVIEW_LENGTH)}`;
