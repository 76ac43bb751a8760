export type StoredKey = {
  keyId: string;
  publicKey: string;
  notBefore: Date;
  notAfter: Date | null;
};

/** Returns all keys, also retired ones, newest first. */
export type ListKeys = () => Promise<StoredKey[]>;
