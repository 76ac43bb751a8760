import type { Signer } from './signer.ts';
import type { StoredKey } from './stored-key.ts';

/** The key that signs now. None of its certificates is issued before `notBefore`. */
export type KeyInForce = { signer: Signer; notBefore: Date };

export type Keyring = {
  /** Returns undefined if this process does not have the key in force. */
  inForce: () => KeyInForce | undefined;
  renew: () => Promise<KeyInForce | undefined>;
  /** Rejects if this process does not have the key in force. */
  check: () => Promise<void>;
};

/** Thrown by the storage if the key is not in force; nothing was written. */
export class KeyRetired extends Error {}

export type KeyChange = 'already current' | 'first key' | 'rotated' | 'retired';

export type KeyStore = {
  /** Puts a key in force. A retired key is refused, because retirement is final. */
  makeCurrent: (key: Pick<Signer, 'keyId' | 'publicKey'>) => Promise<KeyChange>;
  findCurrent: () => Promise<StoredKey | undefined>;
};

export type KeyringStatus = {
  held: readonly string[];
  inForce: string | undefined;
  change: KeyChange | 'taken up';
};

/**
 * Opens a keyring. Puts the first key in force if it is not retired, and follows the key in force
 * to any other key of the process, so that keys can be rotated while replicas run. Throws if no key
 * of the process is in force.
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
