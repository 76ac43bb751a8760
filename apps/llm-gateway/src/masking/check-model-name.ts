import { invalidRequest } from '@witan/contracts';
import { CATEGORIES } from '@witan/privacy';
import type { Category } from '@witan/privacy';
import type { Privacy, ReadingOptions } from './mask-body.ts';
import type { PrivacySettings } from './privacy-settings.ts';

/**
 * Categories that are not detected in model names: names of persons and places occur in them, and
 * so do paths such as `accounts/acme-12345678/models/x`, which is not a bank account.
 */
const ALLOWED_IN_MODEL_NAMES: ReadonlySet<Category> = new Set([
  ...(['PERSON', 'ADDRESS', 'ORG', 'LOCATION', 'BANK_ACCOUNT'] as const),
]);

/** Used instead of the workspace's masking, whose custom terms may be names of models. */
const MODEL_NAME_SETTINGS: PrivacySettings = {
  categories: CATEGORIES.filter((category) => !ALLOWED_IN_MODEL_NAMES.has(category)),
  terms: [],
  patterns: [],
};

/**
 * Throws INVALID_REQUEST, without repeating the name, for a model name with personal data or a
 * secret: it is logged, sent unmasked, and signed into a chain from which nothing can be erased.
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
