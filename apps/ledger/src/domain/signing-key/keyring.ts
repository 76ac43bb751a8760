import type { Signer } from './signer.ts';
import type { StoredKey } from './stored-key.ts';

/** The key that signs new certificates. None of them is issued before `notBefore`. */
export type KeyInForce = { signer: Signer; notBefore: Date };

export type Keyring = {
  /** Returns the key in force, or undefined if this process does not have it. */
  inForce: () => KeyInForce | undefined;
  renew: () => Promise<KeyInForce | undefined>;
  /** Rejects if this process does not have the key in force. */
  check: () => Promise<void>;
};

/** Thrown by the storage if the signing key is not in force; the commit wrote nothing. */
export class KeyRetired extends Error {}

export type KeyChange = 'already current' | 'first key' | 'rotated' | 'retired';

export type KeyStore = {
  /** Puts a key in force. Resolves with `retired` for a retired key, which stays retired. */
  makeCurrent: (key: Pick<Signer, 'keyId' | 'publicKey'>) => Promise<KeyChange>;
  findCurrent: () => Promise<StoredKey | undefined>;
};

export type KeyringStatus = {
  held: readonly string[];
  inForce: string | undefined;
  change: KeyChange | 'taken up';
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
  const held = signers.map(({ keyId }) => keyId);
  const find = async (): Promise<KeyInForce | undefined> => {
    const current = await store.findCurrent();
    const signer = signers.find(({ keyId }) => keyId === current?.keyId);
    return signer && current && { signer, notBefore: current.notBefore };
  };
  const change = await store.makeCurrent(signers[0]!);
  let inForce = await find();
  if (!inForce) {
    throw new Error(
      `None of the signing keys in WITAN_SIGNING_KEY_FILE (${held.join(', ')}) is in force, and ` +
        'the first one was retired, which is final. Put the key in force, or a new key, first.',
    );
  }
  onChange({ held, inForce: inForce.signer.keyId, change });
  const renew = async (): Promise<KeyInForce | undefined> => {
    const found = await find();
    const [before, now] = [inForce?.signer.keyId, found?.signer.keyId];
    inForce = found;
    if (now !== before) onChange({ held, inForce: now, change: now ? 'taken up' : 'retired' });
    return found;
  };
  return {
    inForce: () => inForce,
    renew,
    check: async () => {
      if (await renew()) return;
      throw new Error(`The key in force is none of ${held.join(', ')}; restart with that key.`);
    },
  };
};
