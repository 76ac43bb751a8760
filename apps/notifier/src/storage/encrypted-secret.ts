import type { SecretCipher, EncryptedTable } from '@witan/service-kit';

/** The secret is bound to its owner: in the row of another webhook it cannot be decrypted. */
export type SecretOwner = { workspaceId: string; webhookId: string };

export const encryptSecret = (
  secretCipher: SecretCipher,
  secret: string,
  owner: SecretOwner,
): string => secretCipher.encrypt(secret, contextOf(owner));

/** Returns the current and the previous secret; undefined if another key encrypted them. */
export const decryptSecrets = (
  secretCipher: SecretCipher,
  { current, previous }: { current: string; previous: string | null },
  owner: SecretOwner,
): readonly string[] | undefined => {
  try {
    const encrypted = previous === null ? [current] : [current, previous];
    return encrypted.map((one) => secretCipher.decrypt(one, contextOf(owner)));
  } catch {
    // The attempt fails then, and `verifySecrets` reports why.
    return undefined;
  }
};

const contextOf = ({ workspaceId, webhookId }: SecretOwner): string =>
  `webhook:${workspaceId}:${webhookId}`;

export const ENCRYPTED_SECRETS: EncryptedTable = {
  table: 'webhook',
  key: 'id',
  columns: ['sealed_secret', 'previous_sealed_secret'],
  contextOf: (workspaceId, webhookId) => contextOf({ workspaceId, webhookId }),
};
