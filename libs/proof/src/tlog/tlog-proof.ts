import { encodeBase64 } from '../bytes.ts';
import { ProofError } from '../errors.ts';
import { parseDecimal, parseHash } from './checkpoint.ts';

/** A proof that an entry is in a log (C2SP tlog-proof v1). */
export type TlogProof = {
  /** Base64 of data that nothing authenticates. */
  extra?: string;
  index: number;
  /** Sibling hashes, the leaf's first. */
  hashes: readonly Uint8Array[];
  /** The signed note of the checkpoint. */
  checkpoint: string;
};

const HEADER = 'c2sp.org/tlog-proof@v1';
/** A tree of 2^53 leaves has proofs of 53 hashes. */
const MAX_HASHES = 64;

export function formatTlogProof({ extra, index, hashes, checkpoint }: TlogProof): string {
  const lines = [
    HEADER,
    ...(extra === undefined ? [] : [`extra ${extra}`]),
    `index ${index}`,
    ...hashes.map(encodeBase64),
  ];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

/** Parses the text of a proof. Throws ProofError `note`. Verifies nothing. */
export function parseTlogProof(text: string): TlogProof {
  const end = text.indexOf('\n\n');
  const [header, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  const extra = lines[0]?.startsWith('extra ') ? lines.shift()!.slice('extra '.length) : undefined;
  const indexLine = lines.shift();
  if (header !== HEADER || !indexLine?.startsWith('index ') || lines.length > MAX_HASHES) {
    throw new ProofError('note', `the text is not a proof like ${HEADER}`);
  }
  return {
    ...(extra === undefined ? {} : { extra }),
    index: parseDecimal(indexLine.slice('index '.length)),
    hashes: lines.map(parseHash),
    checkpoint: text.slice(end + 2),
  };
}
