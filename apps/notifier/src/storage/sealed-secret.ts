import type { SecretCipher, EncryptedTable } from '@witan/service-kit';

/** Whose secret it is: in the row of another webhook it does not open. */
export type SecretPlace = { workspaceId: string; webhookId: string };

export const sealSecret = (
  secretCipher: SecretCipher,
  secret: string,
  place: SecretPlace,
): string => secretCipher.encrypt(secret, contextOf(place));

/** The current secret and one behind it; undefined when they were sealed with another key. */
export const openSecrets = (
  secretCipher: SecretCipher,
  { current, previous }: { current: string; previous: string | null },
  place: SecretPlace,
): readonly string[] | undefined => {
  try {
    const sealed = previous === null ? [current] : [current, previous];
    return sealed.map((one) => secretCipher.decrypt(one, contextOf(place)));
  } catch {
    // Sending is what fails then, and says why.
    return undefined;
  }
};

const contextOf = ({ workspaceId, webhookId }: SecretPlace): string =>
  `webhook:${workspaceId}:${webhookId}`;

/** Where they are. */
export const SEALED_SECRETS: EncryptedTable = {
  table: 'webhook',
  key: 'id',
  columns: ['sealed_secret', 'previous_sealed_secret'],
  contextOf: (workspaceId, webhookId) => contextOf({ workspaceId, webhookId }),
};
