import { invalidRequest } from '@witan/contracts';
import type { Conversation, Part, RequestBody } from '@witan/contracts';
import type { Endpoint, RequestSummary } from '@witan/dialects';
import { CATEGORIES } from '@witan/privacy';
import type { Category, CategoryCounts } from '@witan/privacy';
import type { Privacy, ReadingOptions } from './mask-body.ts';
import type { PrivacySettings } from './privacy-settings.ts';

/** A call's request: a parsed body of a client in its dialect, or a neutral conversation. */
export type RequestInput =
  | {
      form: 'wire';
      dialect: Endpoint;
      body: RequestBody;
      summary: RequestSummary;
      headers: Readonly<Record<string, string>>;
      query: string;
    }
  | { form: 'neutral'; conversation: Conversation };

/** Counts the personal data in the texts of a call. */
export const inspectCall = (
  input: RequestInput,
  { inspect }: Pick<Privacy, 'inspect'>,
  options: ReadingOptions,
): Promise<CategoryCounts> =>
  input.form === 'wire'
    ? inspect(input.body.text, { ...options, dialect: input.dialect.name })
    : inspect(JSON.stringify(textsOf(input.conversation)), { ...options, dialect: undefined });

const textsOf = ({ system, turns, tools }: Conversation): string[] => [
  ...system.map(({ text }) => text),
  ...turns.flatMap(({ parts }) => parts.flatMap(textsOfPart)),
  ...tools.map(({ description }) => description),
];

/** Returns the texts of a part; reasoning is not counted. */
const textsOfPart = ({ part }: Part): string[] => {
  switch (part.case) {
    case 'text':
    case 'refusal':
      return [part.value.text];
    case 'toolCall':
      return [part.value.arguments];
    case 'toolResult':
      return part.value.parts.flatMap(textsOfPart);
    case 'document': {
      const { name, media } = part.value;
      return [name, media?.source.case === 'text' ? media.source.value : ''];
    }
    default:
      return [];
  }
};

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
 * secret: the name is logged, sent unmasked, and signed into a chain from which nothing can be
 * erased.
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

/** A single value of one of these categories makes a call sensitive. */
const HIGH_RISK: readonly Category[] = [
  'BANK_ACCOUNT',
  'CREDIT_CARD',
  'DATE_OF_BIRTH',
  'DRIVER_LICENSE',
  'IBAN',
  'NATIONAL_ID',
  'PASSPORT',
  'SECRET',
  'TAX_ID',
  'URL_CREDENTIALS',
];

/** Several values of these categories in a short text count as a record of people. */
const PERSONAL_CATEGORIES: readonly Category[] = [
  'ADDRESS',
  'CRYPTO',
  'EMAIL',
  'IP',
  'MAC',
  'PERSON',
  'PHONE',
];

const RECORD_VALUES = 3;

const RECORD_CATEGORIES = 2;

/** Maximum length of text per personal value in a record of people, in UTF-16 units. */
const RECORD_DENSITY = 250;

/**
 * Returns whether a call should stay local: it has a high-risk value, or it is a record of people,
 * with at least three values, two categories, and one value per 250 characters. For everything else
 * masking suffices.
 */
export const isSensitive = (findings: CategoryCounts, length: number): boolean => {
  if (HIGH_RISK.some((category) => findings[category])) return true;
  const counts = PERSONAL_CATEGORIES.map((category) => findings[category]?.values ?? 0);
  const values = counts.reduce((sum, count) => sum + count, 0);
  const categories = counts.filter((count) => count > 0).length;
  return (
    values >= RECORD_VALUES && categories >= RECORD_CATEGORIES && values * RECORD_DENSITY >= length
  );
};
