import { createHmac } from 'node:crypto';
import { invalidRequest, isServiceError, ServiceError } from '@witan/contracts';
import type { Conversation, Part, RequestBody } from '@witan/contracts';
import type { Endpoint, EndpointName, RequestSummary } from '@witan/dialects';
import { CATEGORIES, createRestorer } from '@witan/privacy';
import type { Category, CategoryCounts, PlaceholderTable, Restorer } from '@witan/privacy';
import type { MaskedJson, MaskTask } from './mask-json.ts';
import { countTransitions } from './privacy-settings.ts';
import type { PrivacySettings } from './privacy-settings.ts';

export type EgressPii = {
  masked: number;
  categories: string[];
  /** Number of media, which are not scanned, and of findings left unmasked: see `MaskedJson`. */
  uninspected: number;
};

export type MaskedBody = {
  text: string;
  pii: EgressPii;
  restorer: Restorer | undefined;
  /** Placeholders in `text` and their values; undefined if nothing was masked. */
  table: PlaceholderTable | undefined;
};

export type ReadingOptions = {
  workspaceId: string;
  settings: PrivacySettings;
  signal: AbortSignal;
};

type MaskingOptions = ReadingOptions & {
  /** Provider to which the body is sent; placeholders of one value differ between providers. */
  provider: string;
  dialect: EndpointName;
};

/**
 * Masks outgoing bodies, and counts findings in texts. Throws INVALID_REQUEST for a text that is
 * nested too deeply, REQUEST_TOO_LARGE for one that takes too long with the workspace's patterns or
 * has more words than any model reads, INTERNAL when detection fails, and the errors of the masking
 * thread, for example when its queue is full.
 */
export type Privacy = {
  maskBody: (text: string, options: MaskingOptions) => Promise<MaskedBody>;
  inspect: (
    text: string,
    options: ReadingOptions & Pick<MaskTask, 'dialect'>,
  ) => Promise<CategoryCounts>;
};

export type PrivacyDeps = {
  /** Secret from which the keys of placeholders are derived. It must not change at a restart. */
  secretsKey: Buffer;
  mask: (task: MaskTask) => MaskedJson;
  maskInWorker: (
    task: MaskTask,
    options: Pick<ReadingOptions, 'workspaceId' | 'signal'>,
  ) => Promise<MaskedJson>;
};

export const leaveUnmasked = async (text: string): Promise<MaskedBody> => ({ text, ...UNMASKED });

export const UNMASKED: Omit<MaskedBody, 'text'> = {
  pii: { masked: 0, categories: [], uninspected: 0 },
  restorer: undefined,
  table: undefined,
};

/**
 * Maximum length of a text that is masked on the main thread, in UTF-16 units; this takes some
 * milliseconds. Longer texts are masked on the worker thread.
 */
const INLINE_LENGTH_MAX = 32_768;
/** Number of transitions of patterns that cost as much per UTF-16 unit as everything else. */
const TRANSITIONS_PER_UNIT = 32;
/**
 * Maximum cost of the patterns of a workspace in a text: transitions times UTF-16 units. It is half
 * a minute of a processor: with patterns of 100 transitions a text may have 20 million units.
 */
const PATTERN_COST_MAX = 2_000_000_000;
/** Placeholder key for inspections, which write no placeholders. */
const NO_KEY = new Uint8Array(32);

export const createPrivacy = ({ secretsKey, mask, maskInWorker }: PrivacyDeps): Privacy => {
  const placeholderKey = createPlaceholderKeys(secretsKey);
  const transitionsOf = memoizeBySettings(countTransitions);
  const read = async (task: MaskTask, options: ReadingOptions): Promise<MaskedJson> => {
    try {
      const { length } = task.text;
      const transitions = transitionsOf(task.settings);
      if (length * transitions > PATTERN_COST_MAX) throw tooCostly(transitions);
      const isShort = length * (1 + transitions / TRANSITIONS_PER_UNIT) <= INLINE_LENGTH_MAX;
      return isShort ? mask(task) : await maskInWorker(task, options);
    } catch (error) {
      throw toRefusal(error);
    }
  };
  return {
    maskBody: async (text, options) => {
      const { workspaceId, provider, dialect, settings } = options;
      const key = placeholderKey(workspaceId, provider);
      const masked = await read({ text, dialect, settings, key }, options);
      const table = masked.table.size > 0 ? masked.table : undefined;
      const restorer = table && createRestorer(table);
      return { text: masked.text, pii: toPii(masked), restorer, table };
    },
    inspect: async (text, options) => {
      const { dialect, settings } = options;
      return (await read({ text, dialect, settings, key: NO_KEY }, options)).counts;
    },
  };
};

/**
 * Returns the error for a body that could not be masked. A detector's error message may quote the
 * text; its name does not.
 */
const toRefusal = (error: unknown): ServiceError => {
  if (isServiceError(error)) return error;
  const name = error instanceof Error ? error.name : typeof error;
  if (name === 'JsonDepthError') return invalidRequest('The body is nested too deeply.');
  if (name === 'TextTooLongError') {
    const message = 'A text of the body has more words than any model reads; send less text.';
    return new ServiceError('REQUEST_TOO_LARGE', message);
  }
  const message = 'The call was not sent, because what it holds could not be masked.';
  return new ServiceError('INTERNAL', message, { cause: new Error(`detection failed: ${name}`) });
};

const tooCostly = (transitions: number): ServiceError => {
  const lengthMax = Math.floor(PATTERN_COST_MAX / transitions);
  return new ServiceError(
    'REQUEST_TOO_LARGE',
    `With the patterns of this workspace (privacy.patterns), a body may have ${lengthMax} ` +
      'characters; send less text, or make the patterns shorter.',
  );
};

const memoizeBySettings = (
  count: (settings: PrivacySettings) => number,
): ((settings: PrivacySettings) => number) => {
  const counts = new WeakMap<PrivacySettings, number>();
  return (settings) => {
    const known = counts.get(settings);
    if (known !== undefined) return known;
    const counted = count(settings);
    counts.set(settings, counted);
    return counted;
  };
};

/**
 * Maximum number of cached keys. They are cached because deriving one costs more than scanning a
 * short text.
 */
const KEYS_MAX = 2_000;

/** Derives a key per workspace and provider, so that providers cannot correlate placeholders. */
const createPlaceholderKeys = (
  secretsKey: Buffer,
): ((workspaceId: string, provider: string) => Uint8Array) => {
  const keys = new Map<string, Uint8Array>();
  return (workspaceId, provider) => {
    const name = JSON.stringify(['witan placeholders', workspaceId, provider]);
    const known = keys.get(name);
    if (known) return known;
    const key = createHmac('sha256', secretsKey).update(name).digest();
    keys.set(name, key);
    if (keys.size > KEYS_MAX) keys.delete(keys.keys().next().value!);
    return key;
  };
};

const toPii = ({ counts, uninspected }: MaskedJson): EgressPii => {
  const entries = Object.entries(counts);
  return {
    masked: entries.reduce((sum, [, { occurrences }]) => sum + occurrences, 0),
    categories: entries.map(([category]) => category),
    uninspected,
  };
};

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
