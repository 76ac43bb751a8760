import { createHmac } from 'node:crypto';
import { ServiceError } from '@witan/contracts';
import type { Dialect, JsonObject } from '@witan/dialects';
import { createMasker, createRestorer } from '@witan/privacy';
import type { Detect, Masker, Restorer } from '@witan/privacy';

/** What a certificate says about the personal data of a call. */
export type EgressPii = {
  /** Stretches of text that a placeholder stands for. */
  masked: number;
  /** What they were, ascending, each once. */
  categories: string[];
  /** Pictures, documents and recordings, which nobody looked into. */
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

/** For whom a body is masked. */
export type MaskingOptions = {
  workspaceId: string;
  /** Placeholders of one value differ from provider to provider. */
  provider: string;
  /** Of the body. */
  dialect: Pick<Dialect, 'toRequestLeaf'>;
  detect: Detect;
};

/** Masks the body of a call. Throws INTERNAL when it cannot: nothing may leave then. */
export type MaskBody = (text: string, options: MaskingOptions) => MaskedBody;

/** A body that stays on the machine. */
export const keepBody = (text: string): MaskedBody => ({ text, pii: NOTHING, restorer: undefined });

const NOTHING: EgressPii = { masked: 0, categories: [], uninspected: 0 };

/** `secretsKey` is what the keys of placeholders derive from: they outlive a restart. */
export const createMaskBody = (secretsKey: Buffer): MaskBody => {
  const placeholderKey = createPlaceholderKeys(secretsKey);
  return (text, { workspaceId, provider, dialect, detect }) => {
    try {
      const key = placeholderKey(workspaceId, provider);
      const masker = createMasker({ key, detect });
      const media = new Set<string>();
      const masked = masker.maskJsonText(text, {
        isExempt: (path, root) => {
          const leaf = dialect.toRequestLeaf(path, root as JsonObject);
          if (leaf === 'media') media.add(JSON.stringify(path.slice(0, -1)));
          return leaf !== 'text';
        },
      });
      const restorer = masker.table.size > 0 ? createRestorer(masker.table) : undefined;
      return { text: masked, pii: { ...toPii(masker), uninspected: media.size }, restorer };
    } catch (error) {
      const message = 'The call was not sent, because what it holds could not be masked.';
      throw new ServiceError('INTERNAL', message, { cause: error });
    }
  };
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

const toPii = (masker: Masker): Pick<EgressPii, 'masked' | 'categories'> => {
  const counts = Object.entries(masker.counts());
  return {
    masked: counts.reduce((sum, [, { occurrences }]) => sum + occurrences, 0),
    categories: counts.map(([category]) => category),
  };
};
