import type { Signer } from './signer.ts';
import type { StoredKey } from './stored-key.ts';

/** A key that signs, and since when: no certificate of it is issued earlier. */
export type KeyInForce = { signer: Signer; notBefore: Date };

/** The keys that a process holds, of which one at a time signs. */
export type Keyring = {
  /** Undefined once the key in force is none that this process holds. */
  inForce: () => KeyInForce | undefined;
  /** Looks again, because the key that was in force was retired. */
  renew: () => Promise<KeyInForce | undefined>;
  /** Looks again, too; rejects when this process can certify nothing any more. */
  check: () => Promise<void>;
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

/** What a process tells of its keys: those it holds, in their order, and the one that signs. */
export type KeyNews = {
  held: readonly string[];
  inForce: string | undefined;
  change: KeyChange | 'taken up';
};

/**
 * Puts the first key in force. The others sign while they are in force still, and from when another
 * replica puts them there: so keys are changed while replicas run. Throws when none of them is in
 * force.
 */
export const openKeyring = async (
  signers: readonly Signer[],
  store: KeyStore,
  onChange: (news: KeyNews) => void,
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
      `None of the signing keys of WITAN_SIGNING_KEY_FILE (${held.join(', ')}) is in force, and ` +
        'the first was retired, which is for good: put the key in force, or a new one, in front.',
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
      throw new Error(`Another key than ${held.join(', ')} signs; restart with that one.`);
    },
  };
};
