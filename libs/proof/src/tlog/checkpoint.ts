import { decodeBase64, encodeBase64 } from '../bytes.ts';
import { ProofError } from '../errors.ts';
import { HASH_BYTES } from './merkle.ts';

/** The head of a log or of a tree (C2SP tlog-checkpoint), without extension lines. */
export type Checkpoint = { origin: string; size: number; root: Uint8Array };

/** Returns the text that is signed: three lines, each ending with a line feed. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${encodeBase64(root)}\n`;
}

/** Parses the text of a checkpoint. Throws ProofError `note`, also for extension lines. */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n');
  const bytes = parseHash(root);
  if (origin === '' || rest.length !== 1 || rest[0] !== '') {
    throw new ProofError('note', 'a checkpoint has the lines origin, size and root, and no others');
  }
  return { origin, size: parseDecimal(size), root: bytes };
}

/** Parses an integer from 0 to 2^53-1 without leading zeros. Throws ProofError `note`. */
export function parseDecimal(text: string): number {
  const value = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) {
    throw new ProofError('note', `${text} is not an integer from 0 to 2^53-1`);
  }
  return value;
}

/** Parses the base64 of 32 bytes. Throws ProofError `note`. */
export function parseHash(text: string): Uint8Array {
  const bytes = decodeBase64(text);
  if (bytes?.length !== HASH_BYTES) {
    throw new ProofError('note', `${text} is not the base64 of ${HASH_BYTES} bytes`);
  }
  return bytes;
}
