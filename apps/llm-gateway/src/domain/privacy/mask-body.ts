import { createHmac } from 'node:crypto';
import { invalidRequest, isServiceError, ServiceError } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import { createRestorer } from '@witan/privacy';
import type { CategoryCounts, Restorer } from '@witan/privacy';
import type { MaskedJson, MaskTask } from './mask-json.ts';
import type { PrivacySettings } from './privacy-settings.ts';

/** What a certificate says about the personal data of a call. */
export type EgressPii = {
  /** Stretches of text that a placeholder stands for. */
  masked: number;
  /** What they were, ascending, each once. */
  categories: string[];
  /** Media, which are not read, and values that were found and left: see `MaskedJson`. */
  uninspected: number;
};

/** A body as it may leave. */
export type MaskedBody = {
  /** The very text when there was nothing to mask. */
  text: string;
  pii: EgressPii;
  /** Puts the values back into the answer; undefined when nothing was taken out. */
  restorer: Restorer | undefined;
};

/** For whom a text is read. */
export type ReadingOptions = {
  workspaceId: string;
  settings: PrivacySettings;
  /** Whoever reads a long text meanwhile stops waiting for it. */
  signal: AbortSignal;
};

export type MaskingOptions = ReadingOptions & {
  /** Placeholders of one value differ from provider to provider. */
  provider: string;
  /** Of the body. */
  dialect: DialectName;
};

/**
 * Masks what leaves. What cannot be masked is refused: INVALID_REQUEST for a text that is nested
 * too deeply, UNAVAILABLE when too much waits to be read, INTERNAL when detection fails.
 */
export type Privacy = {
  maskBody: (text: string, options: MaskingOptions) => Promise<MaskedBody>;
  /** Counts what masking would find. `dialect`: as of a task. */
  inspect: (
    text: string,
    options: ReadingOptions & Pick<MaskTask, 'dialect'>,
  ) => Promise<CategoryCounts>;
};

export type PrivacyDeps = {
  /** What the keys of placeholders derive from: they outlive a restart. */
  secretsKey: Buffer;
  mask: (task: MaskTask) => MaskedJson;
  /** The same where it holds nobody up; fair between workspaces. */
  maskAside: (
    task: MaskTask,
    options: Pick<ReadingOptions, 'workspaceId' | 'signal'>,
  ) => Promise<MaskedJson>;
};

/** A body that stays on the machine. */
export const leaveUnmasked = async (text: string): Promise<MaskedBody> => ({ text, ...UNMASKED });

/** Of a body that nobody read. */
export const UNMASKED: Omit<MaskedBody, 'text'> = {
  pii: { masked: 0, categories: [], uninspected: 0 },
  restorer: undefined,
};

/** Longer texts are masked aside, in UTF-16 units: to read this many takes some milliseconds. */
const INLINE_LENGTH_MAX = 32_768;
/** Nothing is written with it: only the counts are read. */
const NO_KEY = new Uint8Array(32);

export const createPrivacy = ({ secretsKey, mask, maskAside }: PrivacyDeps): Privacy => {
  const placeholderKey = createPlaceholderKeys(secretsKey);
  const read = async (task: MaskTask, options: ReadingOptions): Promise<MaskedJson> => {
    try {
      // Patterns are tried one by one.
      const isShort = task.text.length * (1 + task.settings.patterns.length) <= INLINE_LENGTH_MAX;
      return isShort ? mask(task) : await maskAside(task, options);
    } catch (error) {
      throw toRefusal(error);
    }
  };
  return {
    maskBody: async (text, options) => {
      const { workspaceId, provider, dialect, settings } = options;
      const key = placeholderKey(workspaceId, provider);
      const masked = await read({ text, dialect, settings, key }, options);
      const restorer = masked.table.size > 0 ? createRestorer(masked.table) : undefined;
      return { text: masked.text, pii: toPii(masked), restorer };
    },
    inspect: async (text, options) => {
      const { dialect, settings } = options;
      return (await read({ text, dialect, settings, key: NO_KEY }, options)).counts;
    },
  };
};

/** The message of a detector's error may quote the text that it failed on; its name does not. */
const toRefusal = (error: unknown): ServiceError => {
  if (isServiceError(error)) return error;
  const name = error instanceof Error ? error.name : typeof error;
  if (name === 'JsonDepthError') return invalidRequest('The body is nested too deeply.');
  const message = 'The call was not sent, because what it holds could not be masked.';
  return new ServiceError('INTERNAL', message, { cause: new Error(`detection failed: ${name}`) });
};

/** Derived keys that are kept: deriving one costs more than scanning a short text. */
const KEYS_MAX = 2_000;

/** A key of each workspace and provider: what one provider is told says nothing to another. */
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
