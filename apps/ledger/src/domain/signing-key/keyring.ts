import type { Signer } from './signer.ts';
import type { StoredKey } from './stored-key.ts';

/** A key that signs, and since when: no certificate of it is issued earlier. */
export type KeyInForce = { signer: Signer; notBefore: Date };

/** The keys that a process holds, of which one at a time signs. */
export type Keyring = {
  inForce: () => KeyInForce;
  /** Looks again, because the key in force was retired; whether a held one took over. */
  renew: () => Promise<boolean>;
};

/** A key that no longer signs was used: nothing was written. */
export class KeyRetired extends Error {}

/** What became of a key that was to be in force. */
export type KeyChange = 'already current' | 'first key' | 'rotated' | 'retired';

/** The keys that all replicas know of. */
export type KeyStore = {
  /** Puts a key in force unless it was before; one that was retired does not come back. */
  makeCurrent: (key: Pick<Signer, 'keyId' | 'publicKey'>) => Promise<KeyChange>;
  findCurrent: () => Promise<StoredKey | undefined>;
};

/**
 * Puts the first key in force. The others sign while they are in force still, and from when another
 * replica puts them there: so keys are changed while replicas run. Throws when none of them can sign.
 */
export const openKeyring = async (
  held: readonly Signer[],
  store: KeyStore,
  onChange: (keyId: string, change: KeyChange) => void,
): Promise<Keyring> => {
  const [first] = held;
  if (!first) throw new Error('The file of signing keys (WITAN_SIGNING_KEY_FILE) is empty.');
  const find = async (): Promise<KeyInForce | undefined> => {
    const current = await store.findCurrent();
    const signer = held.find(({ keyId }) => keyId === current?.keyId);
    return signer && current && { signer, notBefore: current.notBefore };
  };
  const change = await store.makeCurrent(first);
  const found = await find();
  if (!found) {
    throw new Error(`Signing key ${first.keyId} was retired and cannot sign again; use a new key.`);
  }
  let inForce = found;
  if (change !== 'already current') onChange(first.keyId, change);
  return {
    inForce: () => inForce,
    renew: async () => {
      const next = await find();
      if (!next || next.signer === inForce.signer) return false;
      inForce = next;
      onChange(next.signer.keyId, 'rotated');
      return true;
    },
  };
};
