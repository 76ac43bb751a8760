import type { Signer } from './signer.ts';

/**
 * The key that signs new certificates. No certificate with its signature is issued before
 * `notBefore`.
 */
export type CurrentKey = { signer: Signer; notBefore: Date };

export type Keyring = {
  /**
   * Returns the key that was in force at the last `renew` or at the start, or undefined if this
   * process does not have it.
   */
  currentKey: () => CurrentKey | undefined;
  renew: () => Promise<CurrentKey | undefined>;
  /** Rejects if this process does not have the key in force. */
  check: () => Promise<void>;
};

/** Thrown by a commit that has no signing key in force; it wrote nothing. */
export class KeyRetiredError extends Error {}

export type KeyChange = 'already current' | 'first key' | 'rotated' | 'retired';

export type KeyStore = {
  /** Puts a key in force. Resolves with `retired` for a retired key, which stays retired. */
  makeCurrent: (key: Pick<Signer, 'keyId' | 'publicKey'>) => Promise<KeyChange>;
  findCurrent: () => Promise<StoredKey | undefined>;
};

export type KeyringStatus = {
  loadedKeyIds: readonly string[];
  currentKeyId: string | undefined;
  change: KeyChange | 'switched';
};

/**
 * Opens a keyring and puts the first of `signers` in force, unless it is retired. When another
 * replica rotates the key, `renew` switches to the new one if `signers` has it, so keys can be
 * rotated while replicas run. Throws if the key in force is none of `signers`.
 */
export const openKeyring = async (
  signers: readonly Signer[],
  store: KeyStore,
  onChange: (status: KeyringStatus) => void,
): Promise<Keyring> => {
  const loadedKeyIds = signers.map(({ keyId }) => keyId);
  const find = async (): Promise<CurrentKey | undefined> => {
    const current = await store.findCurrent();
    const signer = signers.find(({ keyId }) => keyId === current?.keyId);
    return signer && current && { signer, notBefore: current.notBefore };
  };
  const change = await store.makeCurrent(signers[0]!);
  let currentKey = await find();
  if (!currentKey) {
    throw new Error(
      `None of the signing keys in WITAN_SIGNING_KEY_FILE (${loadedKeyIds.join(', ')}) ` +
        'is in force, and the first one was retired, which is final. Put the key in force, or a ' +
        'new key, first.',
    );
  }
  onChange({ loadedKeyIds, currentKeyId: currentKey.signer.keyId, change });
  const renew = async (): Promise<CurrentKey | undefined> => {
    const found = await find();
    const [before, now] = [currentKey?.signer.keyId, found?.signer.keyId];
    currentKey = found;
    if (now !== before)
      onChange({ loadedKeyIds, currentKeyId: now, change: now ? 'switched' : 'retired' });
    return found;
  };
  return {
    currentKey: () => currentKey,
    renew,
    check: async () => {
      if (await renew()) return;
      throw new Error(
        `The key in force is none of ${loadedKeyIds.join(', ')}; restart with that key.`,
      );
    },
  };
};

export type StoredKey = {
  keyId: string;
  publicKey: string;
  notBefore: Date;
  notAfter: Date | null;
};

/** Resolves with all signing keys, including retired ones, newest first. */
export type ListKeys = () => Promise<StoredKey[]>;
