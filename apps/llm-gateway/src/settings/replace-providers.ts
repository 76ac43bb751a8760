import { invalidRequest } from '@witan/contracts';
import type { CheckedProvider } from './check-providers.ts';
import { locateTargets } from './check-settings.ts';
import type { StoredModels, StoredProvider, ProviderDraft } from './ports.ts';

/** Number of characters that the preview of a key shows; the preview of a short key shows none. */
const PREVIEW_LENGTH = 4;
const PREVIEWED_LENGTH_MIN = 12;

type ReplacementContext = {
  operatorProviders: readonly string[];
  newVersion: () => string;
  now: Date;
};

/**
 * Returns the providers that replace the stored ones. A stored key is bound to its dialect and base
 * URL: otherwise a person who may write settings could send it to another host. Throws
 * INVALID_REQUEST when a key is missing, or a target still names a removed provider.
 */
export const replaceProviders = (
  stored: StoredModels,
  requested: readonly CheckedProvider[],
  context: ReplacementContext,
): ProviderDraft[] => {
  const names = new Set([...context.operatorProviders, ...requested.map(({ name }) => name)]);
  for (const { target, path } of locateTargets(stored.settings)) {
    if (names.has(target.provider)) continue;
    throw invalidRequest(
      `"${target.provider}" is still named by ${path}; change that target first.`,
      { param: 'providers' },
    );
  }
  const known = new Map(stored.providers.map((provider) => [provider.name, provider]));
  return requested.map((provider, index) =>
    provider.apiKey === undefined
      ? reuseKey(provider, known.get(provider.name), `providers[${index}].apiKey`)
      : {
          ...provider,
          keyPreview: toPreview(provider.apiKey),
          version: context.newVersion(),
          updatedAt: context.now,
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

/** Returns `…3f9c`, or `…` for a short key, whose last characters would help to guess it. */
const toPreview = (apiKey: string): string =>
  apiKey.length < PREVIEWED_LENGTH_MIN ? '…' : `…${apiKey.slice(-PREVIEW_LENGTH)}`;
