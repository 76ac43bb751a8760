import { createHash, createHmac } from 'node:crypto';
import { mapKeyOf } from '@witan/proof/tlog/map';
import type { Client } from 'pg';

// Computes the transparency log again, from certificates and secrets alone, with other code than
// the service's: plain recursion over all leaves, as RFC 6962 and docs/format.md define it.

const H = (...parts: (Uint8Array | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const byte = (value: number): Uint8Array => Uint8Array.of(value);

const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};

/** The root of RFC 6962 over leaf hashes. Roots of complete subtrees are remembered. */
const createRootOf = (leaves: readonly Buffer[]) => {
  const known = new Map<string, Buffer>();
  const rootOf = (start: number, end: number): Buffer => {
    if (end === start) return H('');
    if (end - start === 1) return leaves[start]!;
    const name = `${start}-${end}`;
    const found = known.get(name);
    if (found) return found;
    let split = 1;
    while (2 * split < end - start) split *= 2;
    const root = H(byte(1), rootOf(start, start + split), rootOf(start + split, end));
    known.set(name, root);
    return root;
  };
  return rootOf;
};

const trie = (entries: readonly { key: Buffer; value: Buffer }[], depth = 0): Buffer => {
  if (entries.length === 0) return Buffer.alloc(32);
  if (entries.length === 1) return H(byte(2), entries[0]!.key, entries[0]!.value);
  const side = (bit: number) =>
    entries.filter(({ key }) => ((key[depth >> 3]! >> (7 - (depth & 7))) & 1) === bit);
  return H(byte(3), trie(side(0), depth + 1), trie(side(1), depth + 1));
};

type Head = { workspace_id: string; size: string; root: Buffer; epoch: string };
type Tree = { workspace_id: string; secret: Buffer; size: string; root: Buffer; map_key: Buffer };
type Tile = { level: number; n: string; hashes: Buffer };

export type Recomputed = { epochs: number; leaves: number; violations: string[] };

/** Returns what of the stored log differs from what the certificates say. */
export const recomputeLog = async (
  admin: Client,
  { issuer, origin }: { issuer: string; origin: string },
): Promise<Recomputed> => {
  const read = async <R extends object>(text: string): Promise<R[]> =>
    (await admin.query<R>(text)).rows;
  const violations: string[] = [];
  const check = (isRight: boolean, what: string): void => {
    if (!isRight) violations.push(what);
  };
  const trees = await read<Tree>('SELECT * FROM ledger.tree');
  const heads = await read<Head>('SELECT * FROM ledger.tree_head ORDER BY workspace_id, size');
  let leafCount = 0;
  for (const tree of trees) {
    const { workspace_id: id } = tree;
    const certificates = await admin.query<{ payload_hash: string; signature: string }>(
      `SELECT payload_hash, signature FROM ledger.certificate WHERE workspace_id = $1
       AND chain_index < $2 ORDER BY chain_index`,
      [id, tree.size],
    );
    const leaves = certificates.rows.map(({ payload_hash: hash, signature }) =>
      H(byte(0), Buffer.from(hash, 'hex'), Buffer.from(signature, 'base64')),
    );
    leafCount += leaves.length;
    const rootOf = createRootOf(leaves);
    check(leaves.length === Number(tree.size), `${id}: certificates of the tree are missing`);
    check(rootOf(0, leaves.length).equals(tree.root), `${id}: root of the tree`);
    check(tree.map_key.equals(Buffer.from(mapKeyOf(issuer, id))), `${id}: map key`);
    const own = heads.filter((head) => head.workspace_id === id);
    check(own.at(-1)?.size === tree.size, `${id}: the last head is not the tree`);
    for (const { size, root } of own) {
      check(rootOf(0, Number(size)).equals(root), `${id}: root of head ${size}`);
    }
    const tiles = await admin.query<Tile>(
      'SELECT level, n, hashes FROM ledger.tree_tile WHERE workspace_id = $1',
      [id],
    );
    checkTiles(tiles.rows, leaves.length, { rootOf, check, name: id });
  }
  const epochs = await recomputeEpochs({ read, check, heads, trees, issuer, origin });
  return { epochs, leaves: leafCount, violations };
};

type Check = (isRight: boolean, what: string) => void;

const checkTiles = (
  tiles: readonly Tile[],
  size: number,
  { rootOf, check, name }: { rootOf: (a: number, b: number) => Buffer; check: Check; name: string },
): void => {
  let expected = Math.floor(size / 256);
  for (let width = 256; width <= size; width *= 256)
    expected += Math.ceil(Math.floor(size / width) / 256);
  check(tiles.length === expected, `${name}: ${tiles.length} tiles instead of ${expected}`);
  for (const { level, n, hashes } of tiles) {
    const span = 256 ** level;
    const first = Number(n) * 256;
    const count = level === 0 ? 256 : Math.min(256, Math.floor(size / span) - first);
    const parts = Array.from({ length: count }, (_, i) =>
      rootOf((first + i) * span, (first + i + 1) * span),
    );
    check(Buffer.concat(parts).equals(hashes), `${name}: tile ${level}/${n}`);
  }
};

type EpochContext = {
  read: <R extends object>(text: string) => Promise<R[]>;
  check: Check;
  heads: readonly Head[];
  trees: readonly Tree[];
  issuer: string;
  origin: string;
};

const recomputeEpochs = async (context: EpochContext): Promise<number> => {
  const { read, check, heads, trees, origin } = context;
  const epochs = await read<{ n: string; entry: string; root: Buffer }>(
    'SELECT n, entry, root FROM ledger.epoch ORDER BY n',
  );
  const [identity] = await read<{ origin: string; secret: Buffer }>(
    'SELECT origin, secret FROM ledger.log_identity',
  );
  const keyLists = await read<{ hash: string; keys: string }>('SELECT * FROM ledger.epoch_keys');
  const leaves = epochs.map(({ entry }) => H(byte(0), entry));
  const rootOf = createRootOf(leaves);
  const lost = new Set<number>();
  for (const { n, entry } of epochs) {
    const [form, first, last] = entry.split('\n');
    if (form !== 'witan-loss/v1') continue;
    check(Number(last) === Number(n) - 1, `last lost epoch of ${n}`);
    for (let i = Number(first); i <= Number(n); i += 1) lost.add(i);
  }
  for (const [i, { n, entry, root }] of epochs.entries()) {
    check(Number(n) === i, `epoch ${n} is at ${i}`);
    check(rootOf(0, i + 1).equals(root), `root of the log at epoch ${n}`);
    check(!lost.has(i) || !heads.some(({ epoch }) => Number(epoch) === i), `head of lost ${n}`);
    if (lost.has(i)) continue;
    const entries = trees.flatMap((tree) => {
      const { workspace_id: id } = tree;
      const head = heads.findLast((one) => one.workspace_id === id && Number(one.epoch) <= i);
      if (!head) return [];
      const salt = createHmac('sha256', tree.secret)
        .update('witan-head-salt/v1\n')
        .update(u64(i))
        .digest();
      const name = `${origin}/tree/${tree.map_key.toString('hex')}`;
      const text = `${name}\n${head.size}\n${head.root.toString('base64')}\n`;
      return [{ key: tree.map_key, value: H('witan-head/v1\n', salt, text) }];
    });
    for (let filler = 0; entries.length < 256; filler += 1) {
      const mac = (label: string, ...parts: Buffer[]): Buffer => {
        const hmac = createHmac('sha256', identity!.secret).update(label);
        for (const part of parts) hmac.update(part);
        return hmac.digest();
      };
      entries.push({
        key: mac('witan-filler-key/v1\n', u64(filler)),
        value: mac('witan-filler/v1\n', u64(filler), u64(i)),
      });
    }
    const [first, mapRoot, keysHash] = entry.split('\n');
    check(first === 'witan-epoch/v1', `form of epoch ${n}`);
    check(mapRoot === trie(entries).toString('base64'), `map of epoch ${n}`);
    const keys = keyLists.find(({ hash }) => hash === keysHash)?.keys;
    check(keys !== undefined && H(keys).toString('base64') === keysHash, `keys of epoch ${n}`);
  }
  const tiles = await read<Tile>('SELECT level, n, hashes FROM ledger.log_tile');
  checkTiles(tiles, leaves.length, { rootOf, check, name: 'log' });
  const [state] = await read<{ size: string }>('SELECT size FROM ledger.log_state');
  check(Number(state!.size) === epochs.length, 'size of the log');
  return epochs.length;
};
