import { hash } from 'node:crypto';
import { vectorText } from './vector-file.ts';

// The vectors in vectors/tlog, which programs independent of this library made; each file names its
// source.

type Hex = string;

export type Vectors = {
  merkle: { leafHashes: Hex[]; roots: Record<string, Hex> };
  inclusion: { proofs: { index: number; size: number; leafHash: Hex; proof: Hex[]; root: Hex }[] };
  consistency: {
    proofs: { old: number; oldRoot: Hex; size: number; root: Hex; proof: Hex[] }[];
  };
  tiles: {
    paths: { level: number | 'entries'; n: number; path: string; width: number }[];
    trees: { size: number; tiles: { path: string; bytes: number; sha256: Hex }[] }[];
  };
  checkpoints: {
    origin: string;
    seed: Hex;
    vkey: string;
    witnesses: { name: string; seed: Hex; vkey: string }[];
    checkpoints: { text: string; signed: string; cosigned: string; size: number }[];
  };
  'mldsa-cosignatures': { vkey: string; cosignatures: { size: number; line: string }[] };
  policies: {
    policies: {
      name: string;
      policy: string;
      parses: boolean;
      signed?: boolean;
      cosigned?: boolean;
    }[];
  };
  'tlog-proofs': { proofs: { entry: Hex; index: number; proof: string; withExtra: string }[] };
  map: {
    maps: {
      size: number;
      root: Hex;
      proofs: { index: number; key: Hex; value: Hex; path: string }[];
    }[];
  };
  bundles: {
    policies: Record<string, string>;
    bundles: { name: string; valid: boolean; policy: string; bundle: string }[];
  };
};

export function tlogVectors<N extends keyof Vectors>(name: N): Vectors[N] {
  return JSON.parse(vectorText(`tlog/${name}.json`)) as Vectors[N];
}

/** Returns the entry `i` of the trees in merkle.json, inclusion.json and the other files. */
export function vectorEntry(i: number): Uint8Array {
  const parts = ['hash', 'r', 's'].map((part) =>
    hash('sha256', `witan-vector/${part}/${i}`, 'buffer'),
  );
  return Buffer.concat(parts);
}

export function hex(bytes: Uint8Array): Hex {
  return Buffer.from(bytes).toString('hex');
}

export function fromHex(text: Hex): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'hex'));
}
