import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { encodeUint64, joinBytes } from '../src/bytes.ts';
import { epochEntry } from '../src/tlog/bundle.ts';
import type { BundleKey } from '../src/tlog/bundle.ts';
import { formatCheckpoint } from '../src/tlog/checkpoint.ts';
import { joinEntries } from '../src/tlog/entry-bundle.ts';
import { lossEntry } from '../src/tlog/loss.ts';
import type { Loss } from '../src/tlog/loss.ts';
import {
  buildMap,
  fillerEntry,
  headSalt,
  mapKeyOf,
  mapValue,
  treeHeadText,
  treeOriginOf,
} from '../src/tlog/map.ts';
import { appendLeaf, edgeRoot, leafHash } from '../src/tlog/merkle.ts';
import { cosignedText, createNoteKey, formatSignatureLine } from '../src/tlog/note.ts';
import { formatPolicy } from '../src/tlog/policy.ts';
import { parseTilePath } from '../src/tlog/tile.ts';
import { OLD_KEY } from '../vectors/samples.ts';
import { runLog } from '../src/cli/log.ts';
import type { LogIo } from '../src/cli/follow-url.ts';

export const ORIGIN = 'log.test/witan';
const URL = 'https://gateway.test';
export const WORKSPACE = 'ws_1';
const KEYS: BundleKey[] = [OLD_KEY.row];

const makeKey = (name: string, type: number) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const key = createNoteKey({ name, type, key: new Uint8Array(raw) });
  return { key, sign: (text: string) => new Uint8Array(sign(null, Buffer.from(text), privateKey)) };
};
const logKey = makeKey(ORIGIN, 1);
const witness = makeKey('witness.test', 4);
const rootOf = (entries: readonly (string | Uint8Array)[]): Uint8Array => {
  const edge: Uint8Array[] = [];
  for (const [i, entry] of entries.entries()) appendLeaf(edge, i, leafHash(entry));
  return edgeRoot(edge);
};

/**
 * A gateway whose log has one workspace; `leaves` are its certificates in each epoch. Of the epochs
 * `lost` it has the entries only; the one after them states the loss. Its log ends with `odd`.
 */
export const openGateway = (
  leaves: readonly string[][],
  secret = 'secret',
  { lost, odd = [] }: { lost?: Loss; odd?: readonly (string | Uint8Array)[] } = {},
) => {
  const bytes = createHash('sha256').update(secret).digest();
  const mapKey = mapKeyOf('witan', WORKSPACE);
  const epochs = leaves.map((certificates, n) => {
    const head = { origin: ORIGIN, mapKey, size: certificates.length, root: rootOf(certificates) };
    const salt = headSalt(bytes, n);
    const entries = [
      { key: mapKey, value: mapValue(salt, treeHeadText(head)) },
      ...Array.from({ length: 255 }, (_, i) => fillerEntry(bytes, i, n)),
    ];
    const { root, paths } = buildMap(entries, [0]);
    const name = treeOriginOf(ORIGIN, mapKey);
    const text = formatCheckpoint({ ...head, origin: name });
    const key = createNoteKey({ ...logKey.key, name });
    const treeHead = `${text}\n${formatSignatureLine(key, logKey.sign(text))}\n`;
    const path = Buffer.concat(paths[0]!).toString('base64');
    if (lost && n === lost.last + 1) return { epoch: n, entry: lossEntry(lost), keys: [] };
    const entry = epochEntry(root, KEYS);
    if (lost && n >= lost.first && n <= lost.last) return { epoch: n, entry, keys: KEYS };
    return {
      epoch: n,
      entry,
      keys: KEYS,
      treeHead,
      salt: Buffer.from(salt).toString('base64'),
      path,
    };
  });
  const entries = [...epochs.map(({ entry }) => entry), ...odd];
  const text = formatCheckpoint({ origin: ORIGIN, size: entries.length, root: rootOf(entries) });
  const time = 1_790_000_000;
  const cosignature = joinBytes([encodeUint64(time), witness.sign(cosignedText(text, time))]);
  const lines = [
    formatSignatureLine(logKey.key, logKey.sign(text)),
    formatSignatureLine(witness.key, cosignature),
  ];
  const checkpoint = `${text}\n${lines.join('\n')}\n`;
  const tile = (all: readonly (string | Uint8Array)[], path: string): Uint8Array => {
    const { level, n, width } = parseTilePath(path)!;
    const part = all.slice(n * 256, n * 256 + width).map((one) => Buffer.from(one));
    return level === 'entries'
      ? joinEntries(part)
      : Buffer.concat(part.map((one) => leafHash(one)));
  };
  return {
    epochs,
    read: (path: string): Uint8Array | string | undefined => {
      if (path === '/v1/log/checkpoint') return checkpoint;
      if (path === '/v1/log') {
        const policy = formatPolicy({ logs: [logKey.key], witnesses: [], threshold: 0 });
        return JSON.stringify({ origin: ORIGIN, policy, size: entries.length, publishedAt: 'now' });
      }
      if (path.startsWith('/v1/log/tile/')) return tile(entries, path.slice('/v1/log/'.length));
      if (path.startsWith('/v1/proofs/tree/tile/')) {
        return tile(leaves.at(-1)!, path.slice('/v1/proofs/tree/'.length));
      }
      const from = /^\/v1\/proofs\/epochs\?from=(\d+)/.exec(path)?.[1];
      if (from === undefined) return undefined;
      return epochs
        .slice(Number(from))
        .map((one) => `${JSON.stringify(one)}\n`)
        .join('');
    },
  };
};

const POLICY = formatPolicy({ logs: [logKey.key], witnesses: [witness.key], threshold: 1 });

export const openCommand = () => {
  const files = new Map<string, string | Uint8Array>([['policy.txt', POLICY]]);
  return {
    files,
    run: async (gateway: ReturnType<typeof openGateway>, ...argv: string[]) => {
      const out: string[] = [];
      const io: LogIo = {
        stdout: (line) => void out.push(line),
        stderr: (line) => void out.push(line),
        async *readFile(path) {
          yield Buffer.from(files.get(path) ?? '');
        },
        fetch: async (url) => {
          const found = gateway.read(url.slice(URL.length));
          if (found === undefined) return { ok: false, status: 404, body: null };
          const body = (async function* () {
            yield Buffer.from(found);
          })();
          return { ok: true, status: 200, body };
        },
        writeFile: async (path, content) => void files.set(path, content),
        exists: (path) => files.has(path),
        apiKey: 'sk_live_1',
      };
      const [command = '', ...rest] = argv;
      const code = await runLog([command, URL, ...rest], io);
      return { code, out: out.join('\n') };
    },
  };
};
