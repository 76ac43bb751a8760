export type StoredKey = {
  keyId: string;
  publicKey: string;
  notBefore: Date;
  notAfter: Date | null;
};

/** Resolves with all signing keys, including retired ones, newest first. */
export type ListKeys = () => Promise<StoredKey[]>;
