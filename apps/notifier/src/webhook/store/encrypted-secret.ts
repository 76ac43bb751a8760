import type { SecretCipher, EncryptedTable } from '@witan/service-kit';

/**
 * Authenticated as context of the encryption, so that a secret copied to another webhook's row
 * cannot be decrypted.
 */
export type SecretOwner = { workspaceId: string; webhookId: string };

export const encryptSecret = (
  secretCipher: SecretCipher,
  secret: string,
  owner: SecretOwner,
): string => secretCipher.encrypt(secret, contextOf(owner));

/**
 * Returns the current secret and, if there is one, the previous one. Returns undefined if one of
 * them cannot be decrypted.
 */
export const decryptSecrets = (
  secretCipher: SecretCipher,
  { current, previous }: { current: string; previous: string | null },
  owner: SecretOwner,
): readonly string[] | undefined => {
  try {
    const encrypted = previous === null ? [current] : [current, previous];
    return encrypted.map((ciphertext) => secretCipher.decrypt(ciphertext, contextOf(owner)));
  } catch {
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
