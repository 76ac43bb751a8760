/** A public key and its window over `issuedAt`; `notAfter` is null on the current key. */
export type StoredKey = {
  keyId: string;
  /** SubjectPublicKeyInfo PEM. */
  publicKey: string;
  notBefore: Date;
  notAfter: Date | null;
};

/** Returns every key that ever signed, newest first. */
export type ListKeys = () => Promise<StoredKey[]>;
