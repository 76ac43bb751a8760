import { invalidRequest } from '@witan/contracts';
import { CATEGORIES } from '@witan/privacy';
import type { Category } from '@witan/privacy';
import type { Privacy, ReadingOptions } from './mask-body.ts';
import type { PrivacySettings } from './privacy-settings.ts';

/**
 * Model names may contain names of persons and places; `accounts/acme-12345678/models/x` is not an
 * account.
 */
const IN_MODEL_NAMES: ReadonlySet<Category> = new Set([
  ...(['PERSON', 'ADDRESS', 'ORG', 'LOCATION', 'BANK_ACCOUNT'] as const),
]);

/** Independent of the workspace's masking: its custom terms may be names of models. */
const MODEL_NAME_SETTINGS: PrivacySettings = {
  categories: CATEGORIES.filter((category) => !IN_MODEL_NAMES.has(category)),
  terms: [],
  patterns: [],
};

/**
 * Refuses a `model` with personal data or a secret: the name is logged, sent unmasked, and signed
 * into a chain from which nothing can be erased. Throws INVALID_REQUEST, which does not repeat it.
 */
export const checkModelName = async (
  requested: string,
  { inspect }: Pick<Privacy, 'inspect'>,
  options: Omit<ReadingOptions, 'settings'>,
): Promise<void> => {
  const reading = { ...options, settings: MODEL_NAME_SETTINGS, dialect: undefined };
  const [found] = Object.keys(await inspect(JSON.stringify(requested), reading));
  if (found === undefined) return;
  const message = `model holds personal data or a secret (${found}); it must name a model only.`;
  throw invalidRequest(message, { param: 'model' });
};
