/**
 * Marks of signatures that crossed a dialect. A provider accepts only its own signatures, and a
 * conversation can reach another provider than the one that signed, so a signature names the
 * dialect of its provider in the dialect that it is converted to.
 */
const OF_RESPONSES = 'witan-responses:';
const OF_MESSAGES = 'witan-messages:';
const REDACTED_OF_MESSAGES = 'witan-redacted:';

/** Returns the neutral signature of a reasoning item of the responses dialect. */
export const toResponsesSignature = (itemId: string, encryptedContent: string): string =>
  `${OF_RESPONSES}${itemId}:${encryptedContent}`;

/** Returns the parts of `toResponsesSignature`; undefined for the signature of another provider. */
export const readResponsesSignature = (
  signature: string,
): { itemId: string; encryptedContent: string } | undefined => {
  if (!isResponsesSignature(signature)) return undefined;
  const colon = signature.indexOf(':', OF_RESPONSES.length);
  return {
    itemId: signature.slice(OF_RESPONSES.length, colon),
    encryptedContent: signature.slice(colon + 1),
  };
};

export const isResponsesSignature = (signature: string): boolean =>
  signature.startsWith(OF_RESPONSES);

type MessagesSignature = { signature: string } | { redacted: string };

/** Returns what the messages dialect signed as `encrypted_content` of the responses dialect. */
export const toEncryptedContent = (signed: MessagesSignature): string =>
  'signature' in signed
    ? `${OF_MESSAGES}${signed.signature}`
    : `${REDACTED_OF_MESSAGES}${signed.redacted}`;

/** Returns the parts of `toEncryptedContent`; undefined for what another provider encrypted. */
export const readEncryptedContent = (encryptedContent: string): MessagesSignature | undefined => {
  if (encryptedContent.startsWith(OF_MESSAGES)) {
    return { signature: encryptedContent.slice(OF_MESSAGES.length) };
  }
  if (encryptedContent.startsWith(REDACTED_OF_MESSAGES)) {
    return { redacted: encryptedContent.slice(REDACTED_OF_MESSAGES.length) };
  }
  return undefined;
};
