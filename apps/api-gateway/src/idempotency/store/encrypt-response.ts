import { isUtf8 } from 'node:buffer';
import type { SecretCipher } from '@witan/service-kit';
import type { StoredResponse } from '../records.ts';

/**
 * Identifies the database row of a response. It is bound into the encryption, so the response
 * cannot be decrypted for another row.
 */
type RecordId = { workspaceId: string; key: string };

export const encryptResponse = (
  { headers, body }: Pick<StoredResponse, 'headers' | 'body'>,
  recordId: RecordId,
  secretCipher: SecretCipher,
): string => {
  // Nearly all responses are UTF-8 text, which needs no base64.
  const encoding = isUtf8(body) ? 'utf8' : 'base64';
  const head = JSON.stringify({ headers, encoding });
  return secretCipher.encrypt(
    `${head}\n${Buffer.from(body).toString(encoding)}`,
    contextOf(recordId),
  );
};

/**
 * Decrypts a stored response. Throws if it was encrypted for another row or with a key that
 * `secretCipher` does not have.
 */
export const decryptResponse = (
  encrypted: string,
  recordId: RecordId,
  secretCipher: SecretCipher,
): Pick<StoredResponse, 'headers' | 'body'> => {
  const text = secretCipher.decrypt(encrypted, contextOf(recordId));
  const end = text.indexOf('\n');
  const head = JSON.parse(text.slice(0, end)) as Head;
  return { headers: head.headers, body: Buffer.from(text.slice(end + 1), head.encoding) };
};

type Head = { headers: Record<string, string>; encoding: 'utf8' | 'base64' };

const contextOf = ({ workspaceId, key }: RecordId): string =>
  `idempotency_record:${workspaceId}:${key}`;
