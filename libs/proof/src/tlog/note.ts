import { bytesToHex } from '@noble/hashes/utils.js';
import { decodeBase64, encodeBase64, joinBytes, sha256, toUtf8 } from '../bytes.ts';
import { ed25519, isPrimeOrderPoint } from '../ed25519.ts';
import { ProofError } from '../errors.ts';

// Signed notes (C2SP signed-note v1.0.0) and cosignatures (C2SP tlog-cosignature).

/** Types of note keys: of a log, and of a witness, whose signatures have a time. */
export const NOTE_KEY_TYPES = { ed25519: 1, cosignature: 4, mlDsa44Cosignature: 6 } as const;

const KEY_BYTES: Readonly<Record<number, number>> = { 1: 32, 4: 32, 6: 1312 };

/** A public key that verifies notes. Its id depends on its name. */
export type NoteKey = {
  name: string;
  /** 8 lower-case hex digits. */
  id: string;
  type: number;
  key: Uint8Array;
};

/** `time` is that of a cosignature, in seconds since 1970. */
export type VerifiedSignature = { key: NoteKey; time?: number };

export type Note = {
  /** The signed text; ends with a line feed. */
  text: string;
  signatures: readonly { name: string; keyId: string; bytes: Uint8Array }[];
};

/** Longer notes are refused; a note with 100 ML-DSA cosignatures has about 330,000 characters. */
export const MAX_NOTE_LENGTH = 1_000_000;
const MAX_SIGNATURES = 100;
const ID_BYTES = 4;
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;
/** The last second that Date can represent, in the year 275,760. */
const MAX_TIME = 8_640_000_000_000n;

export function createNoteKey({ name, type, key }: Omit<NoteKey, 'id'>): NoteKey {
  const id = sha256(name, '\n', Uint8Array.of(type), key).subarray(0, ID_BYTES);
  return { name, type, key, id: bytesToHex(id) };
}

/** Returns the text `<name>+<id>+<base64 of type and key>` of a key. */
export function formatNoteKey({ name, id, type, key }: NoteKey): string {
  return `${name}+${id}+${encodeBase64(joinBytes([Uint8Array.of(type), key]))}`;
}

/**
 * Parses a key written as `<name>+<id>+<base64 of type and key>` (a "vkey"). Throws ProofError
 * `policy` if its id is not that of its name and bytes, its type is unknown, or its point has a
 * small-order component, because no honest signer has such a key.
 */
export function parseNoteKey(text: string): NoteKey {
  const [, name = '', id = '', base64 = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/s.exec(text) ?? [];
  const bytes = decodeBase64(base64);
  if (!isKeyName(name) || bytes === undefined) {
    throw new ProofError('policy', `${text} is not a key like <name>+<id>+<base64>`);
  }
  const key = createNoteKey({ name, type: bytes[0] ?? 0, key: bytes.subarray(1) });
  if (key.key.length !== KEY_BYTES[key.type]) {
    throw new ProofError('policy', `${text} is a key of an unknown type`);
  }
  if (key.id !== id) throw new ProofError('policy', `the id of ${text} is not that of its key`);
  if (key.type !== NOTE_KEY_TYPES.mlDsa44Cosignature && !isPrimeOrderPoint(key.key)) {
    throw new ProofError('policy', `${text} is not a sound Ed25519 key`);
  }
  return key;
}

export function isKeyName(name: string): boolean {
  return name !== '' && name.isWellFormed() && !/[\p{White_Space}\p{Cc}+]/u.test(name);
}

/** Parses a signed note. Verifies no signature. Throws ProofError `note`. */
export function parseNote(source: string): Note {
  const end = source.lastIndexOf('\n\n');
  // eslint-disable-next-line no-control-regex -- the format forbids control characters
  const isText = source.isWellFormed() && !/[\x00-\x09\x0b-\x1f]/.test(source);
  if (end === -1 || source.length > MAX_NOTE_LENGTH || !isText || !source.endsWith('\n')) {
    throw new ProofError('note', 'the text is not a signed note');
  }
  const lines = source.slice(end + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) {
    throw new ProofError('note', `a note has more than ${MAX_SIGNATURES} signatures`);
  }
  return { text: source.slice(0, end + 1), signatures: parseSignatureLines(lines) };
}

/** Parses lines `— <name> <base64 of key id and signature>`. Throws ProofError `note`. */
export function parseSignatureLines(lines: readonly string[]): Note['signatures'] {
  return lines.map((line) => {
    const [, name = '', base64 = ''] = /^— ([^ ]+) ([^ ]+)$/.exec(line) ?? [];
    const bytes = decodeBase64(base64);
    if (!isKeyName(name) || bytes === undefined || bytes.length <= ID_BYTES) {
      throw new ProofError('note', `the line ${line} is not a signature`);
    }
    const keyId = bytesToHex(bytes.subarray(0, ID_BYTES));
    return { name, keyId, bytes: bytes.subarray(ID_BYTES) };
  });
}

/** Returns the line of a signature, without its line feed. */
export function formatSignatureLine({ name, id }: NoteKey, signature: Uint8Array): string {
  const idBytes = Uint8Array.from(id.match(/../g)!, (byte) => Number.parseInt(byte, 16));
  return `— ${name} ${encodeBase64(joinBytes([idBytes, signature]))}`;
}

/**
 * Returns which of `keys` signed the note, each once. Signatures by other keys, and repeated ones
 * by a key, are ignored, and so are ML-DSA-44 cosignatures and those whose time is 0 or beyond the
 * range of Date: such a witness has not cosigned. Throws ProofError `checkpoint` if a signature
 * that names one of `keys` is invalid, as C2SP signed-note requires.
 */
export function verifyNote(note: Note, keys: readonly NoteKey[]): VerifiedSignature[] {
  const verified = new Map<NoteKey, VerifiedSignature>();
  for (const { name, keyId, bytes } of note.signatures) {
    for (const key of keys) {
      if (key.name !== name || key.id !== keyId || verified.has(key)) continue;
      if (key.type === NOTE_KEY_TYPES.mlDsa44Cosignature) continue;
      const signature = verifySignature(note.text, key, bytes);
      if (signature !== undefined) verified.set(key, signature);
    }
  }
  return [...verified.values()];
}

function verifySignature(
  text: string,
  key: NoteKey,
  bytes: Uint8Array,
): VerifiedSignature | undefined {
  const isCosignature = key.type === NOTE_KEY_TYPES.cosignature;
  const time = isCosignature ? readTime(bytes) : undefined;
  const message = toUtf8(time === undefined ? text : cosignedText(text, time));
  const signature = isCosignature ? bytes.subarray(TIME_BYTES) : bytes;
  const isValid =
    signature.length === SIGNATURE_BYTES &&
    ed25519.verify({ signature, message, publicKey: key.key });
  if (!isValid) throw new ProofError('checkpoint', `the signature of ${key.name} is invalid`);
  if (time === undefined) return { key };
  return time > 0n && time <= MAX_TIME ? { key, time: Number(time) } : undefined;
}

/** Returns the text that a witness signs at a time in seconds since 1970. */
export function cosignedText(text: string, time: number | bigint): string {
  return `cosignature/v1\ntime ${time}\n${text}`;
}

/** Returns 0 if the bytes are too few for a cosignature. */
function readTime(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return bytes.length < TIME_BYTES ? 0n : view.getBigUint64(0);
}
