import { rawKeyOf } from '@witan/proof';
import { formatCheckpoint } from '@witan/proof/tlog/checkpoint';
import type { Checkpoint } from '@witan/proof/tlog/checkpoint';
import {
  createNoteKey,
  formatNoteKey,
  formatSignatureLine,
  NOTE_KEY_TYPES,
} from '@witan/proof/tlog/note';
import type { NoteKey } from '@witan/proof/tlog/note';
import type { Signer } from '../signing-key/signer.ts';

/** Signs checkpoints of the log and heads of trees, with every loaded log key. */
export type LogSigner = {
  keys: readonly NoteKey[];
  /** Texts of the keys, as witnesses and policies name them. */
  vkeys: readonly string[];
  /** Resolves with the signed note of a checkpoint, whose origin is the name of its keys. */
  sign: (checkpoint: Checkpoint) => Promise<string>;
};

export const createLogSigner = (signers: readonly Signer[], origin: string): LogSigner => {
  const keyOf = (signer: Signer, name: string): NoteKey =>
    createNoteKey({ name, type: NOTE_KEY_TYPES.ed25519, key: rawKeyOf(signer.publicKey) });
  const keys = signers.map((signer) => keyOf(signer, origin));
  return {
    keys,
    vkeys: keys.map(formatNoteKey),
    sign: async (checkpoint) => {
      const text = formatCheckpoint(checkpoint);
      const lines = signers.map(async (signer) => {
        const signature = Buffer.from(await signer.sign(text, signers.length), 'base64');
        return `${formatSignatureLine(keyOf(signer, checkpoint.origin), signature)}\n`;
      });
      return `${text}\n${(await Promise.all(lines)).join('')}`;
    },
  };
};

/** Returns the base64 hash of the list of certificate keys that an epoch's entry names. */
export const keysHashOf = (entry: string): string => entry.split('\n')[2]!;
