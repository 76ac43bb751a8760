import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { hex } from '../../test/tlog-vectors.ts';
import { encodeBase64, encodeUint64, hmacSha256, joinBytes, sha256, toUtf8 } from '../bytes.ts';
import { canonicalJson } from '../commitment.ts';
import { epochEntry, treeEntry } from './bundle.ts';
import { formatCheckpoint } from './checkpoint.ts';
import { lossEntry } from './loss.ts';
import {
  buildMap,
  fillerEntry,
  headSalt,
  mapKeyOf,
  mapValue,
  treeHeadText,
  treeOriginOf,
} from './map.ts';
import { leafHash, nodeHash } from './merkle.ts';
import { cosignedText, createNoteKey } from './note.ts';

// Computes the table of docs/format.md as it is written there and compares it with the code.

type Value = Uint8Array | string | number;

const FUNCTIONS: Record<string, (...args: Value[]) => Value> = {
  H: (data) => sha256(bytesOf(data)),
  HMAC: (key, data) => hmacSha256(bytesOf(key), bytesOf(data)),
  u64: (value) => encodeUint64(value as number),
  dec: String,
  hex: (value) => hex(bytesOf(value)),
  base64: (value) => encodeBase64(bytesOf(value)),
};

const bytesOf = (value: Value): Uint8Array =>
  typeof value === 'number'
    ? toUtf8(String(value))
    : typeof value === 'string'
      ? toUtf8(value)
      : value;

/** Evaluates a formula of the table; `names` are the values of its names. */
function evaluate(formula: string, names: Record<string, Value>): Uint8Array {
  const tokens = formula.match(/"(?:\\n|[^"\\])*"|0x[0-9a-f]{2}|[A-Za-z_]\w*|[(),‖]/g) ?? [];
  expect(tokens.join('')).toBe(formula.replaceAll(' ', '').replaceAll('time"', 'time "'));
  const term = (): Value => {
    const token = tokens.shift()!;
    if (token.startsWith('"')) return token.slice(1, -1).replaceAll('\\n', '\n');
    if (token.startsWith('0x')) return Uint8Array.of(Number(token));
    if (tokens[0] !== '(') {
      if (!Object.hasOwn(names, token)) throw new Error(`The table has an unknown name: ${token}`);
      return names[token]!;
    }
    const args: Value[] = [];
    while (tokens.shift() !== ')') args.push(sum());
    return FUNCTIONS[token]!(...args);
  };
  const sum = (): Value => {
    const parts = [term()];
    while (tokens[0] === '‖') {
      tokens.shift();
      parts.push(term());
    }
    return parts.length === 1 ? parts[0]! : joinBytes(parts.map(bytesOf));
  };
  return bytesOf(sum());
}

const page = readFileSync(new URL('../../../../docs/format.md', import.meta.url), 'utf8');
const text = /^### Bytes$.*?(?=^## )/ms.exec(page)![0];
const formulas = new Map(
  [...text.matchAll(/^\| (\w+) +\| [^`|]*`([^`]+)`/gm)].map(([, name, formula]) => [
    name!,
    formula!,
  ]),
);

const bytes = (name: string): Uint8Array => sha256(name);
const GIVEN = {
  payload_hash: bytes('payload'),
  signature: joinBytes([bytes('r'), bytes('s')]),
  left: bytes('left'),
  right: bytes('right'),
  issuer: 'witan',
  workspaceId: 'ws_1',
  origin: 'log.example',
  size: 70_000,
  root: bytes('root'),
  secret: bytes('secret'),
  epoch: 7,
  i: 300,
  mapRoot: bytes('map'),
  time: 1_790_000_000,
  first: 656,
  last: 659,
  keyName: 'log.example',
  keyType: Uint8Array.of(4),
  key: bytes('key'),
};
const KEYS = [{ keyId: 'a', notAfter: null, notBefore: null, publicKey: 'b' }];

function fromLibrary(): Record<string, Value> {
  const { issuer, workspaceId, origin, size, root, secret, epoch, left, right } = GIVEN;
  const mapKey = mapKeyOf(issuer, workspaceId);
  const head = treeHeadText({ origin, mapKey, size, root });
  const salt = headSalt(secret, epoch);
  const value = mapValue(salt, head);
  const filler = fillerEntry(secret, GIVEN.i, epoch);
  const certificate = {
    payload_hash: hex(GIVEN.payload_hash),
    signature: encodeBase64(GIVEN.signature),
  };
  const entry = epochEntry(GIVEN.mapRoot, KEYS);
  const checkpoint = formatCheckpoint({ origin, size, root });
  const lowest = { key: new Uint8Array(32), value: left };
  const highest = { key: new Uint8Array(32).fill(255), value: right };
  const leaves = [lowest, highest].map((one) => buildMap([one], []).root);
  expect(buildMap([lowest, highest], []).root).toEqual(
    evaluate(formulas.get('mapNode')!, { left: leaves[0]!, right: leaves[1]! }),
  );
  return {
    treeLeaf: leafHash(treeEntry(certificate)),
    node: nodeHash(left, right),
    mapKey,
    treeOrigin: treeOriginOf(origin, mapKey),
    treeHeadText: head,
    salt,
    mapValue: value,
    mapLeaf: buildMap([{ key: mapKey, value }], []).root,
    fillerKey: filler.key,
    fillerValue: filler.value,
    epochEntry: entry,
    lossEntry: lossEntry(GIVEN),
    logLeaf: leafHash(entry),
    checkpointText: checkpoint,
    cosignedText: cosignedText(checkpoint, GIVEN.time),
  };
}

describe('the byte table of docs/format.md', () => {
  const expected = fromLibrary();

  it('has a row for each value of the library', () => {
    expect([...formulas.keys()].toSorted()).toEqual(
      [...Object.keys(expected), 'mapNode', 'keyId'].toSorted(),
    );
  });

  it.each(Object.entries(expected))('is what the library computes: %s', (name, value) => {
    const names = { ...GIVEN, ...expected, keys: canonicalJson(KEYS) };
    expect(hex(evaluate(formulas.get(name)!, names))).toBe(hex(bytesOf(value)));
  });

  it('is what the library computes: keyId', () => {
    const { id } = createNoteKey({ name: GIVEN.keyName, type: 4, key: GIVEN.key });
    expect(hex(evaluate(formulas.get('keyId')!, GIVEN)).slice(0, 8)).toBe(id);
  });
});
