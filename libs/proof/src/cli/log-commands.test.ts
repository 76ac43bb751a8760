import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { encodeUint64, joinBytes } from '../bytes.ts';
import { epochEntry } from '../tlog/bundle.ts';
import type { BundleKey } from '../tlog/bundle.ts';
import { formatCheckpoint } from '../tlog/checkpoint.ts';
import { joinEntries } from '../tlog/entry-bundle.ts';
import { lossEntry } from '../tlog/loss.ts';
import type { Loss } from '../tlog/loss.ts';
import {
  buildMap,
  fillerEntry,
  headSalt,
  mapKeyOf,
  mapValue,
  treeHeadText,
  treeOriginOf,
} from '../tlog/map.ts';
import { appendLeaf, edgeRoot, leafHash } from '../tlog/merkle.ts';
import { cosignedText, createNoteKey, formatSignatureLine } from '../tlog/note.ts';
import { formatPolicy } from '../tlog/policy.ts';
import { parseTilePath } from '../tlog/tile.ts';
import { runLog } from './log.ts';
import type { LogIo } from './log.ts';

const ORIGIN = 'log.test/witan';
const URL = 'https://gateway.test';
const WORKSPACE = 'ws_1';
const KEYS: BundleKey[] = [{ keyId: 'k', notAfter: null, notBefore: null, publicKey: 'p' }];

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
 * `lost` it has the entries only; the one after them states the loss.
 */
const openGateway = (leaves: readonly string[][], secret = 'secret', lost?: Loss) => {
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
  const entries = epochs.map(({ entry }) => entry);
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

const openCommand = () => {
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

const FOLLOW = ['--policy', 'policy.txt', '--state', 'state.json'];
const FIRST = [['a'], ['a', 'b', 'c']];
const LATER = [...FIRST, ['a', 'b', 'c', 'd', 'e']];

describe('witan log', () => {
  it('monitors a log that grows', async () => {
    const { run } = openCommand();
    const first = await run(openGateway(FIRST), 'monitor', ...FOLLOW);
    expect(first).toMatchObject({ code: 0, out: expect.stringContaining('2 epochs, 2 since') });
    const second = await run(openGateway(LATER), 'monitor', ...FOLLOW);
    expect(second).toMatchObject({ code: 0, out: expect.stringContaining('3 epochs, 1 since') });
    expect(second.out).toContain('witnessed at 2026-');
  });

  it('reports another log, with both checkpoints', async () => {
    const { run } = openCommand();
    await run(openGateway(FIRST), 'monitor', ...FOLLOW);
    const { code, out } = await run(openGateway(LATER, 'other'), 'monitor', ...FOLLOW);
    expect(code).toBe(1);
    expect(out).toContain('INVALID: epoch: the entries of 3 epochs do not give the signed root');
    expect(out.match(/— witness\.test /g)).toHaveLength(2);
  });

  it('reports a log that is shorter than before', async () => {
    const { run } = openCommand();
    await run(openGateway(LATER), 'monitor', ...FOLLOW);
    const { code, out } = await run(openGateway(FIRST), 'monitor', ...FOLLOW);
    expect([code, out]).toEqual([1, expect.stringContaining('the log has 2 epochs and had 3')]);
  });

  it('mirrors what is new, the checkpoint last', async () => {
    const { run, files } = openCommand();
    await run(openGateway(FIRST), 'mirror', ...FOLLOW, '--folder', 'copy');
    await run(openGateway(LATER), 'mirror', ...FOLLOW, '--folder', 'copy');
    expect([...files.keys()].filter((name) => name.startsWith('copy/'))).toEqual([
      'copy/tile/entries/000.p/2',
      'copy/tile/0/000.p/2',
      'copy/checkpoint',
      'copy/tile/entries/000.p/3',
      'copy/tile/0/000.p/3',
    ]);
    expect(files.get('copy/checkpoint')).toContain(`${ORIGIN}\n3\n`);
  });

  it('follows a workspace', async () => {
    const { run } = openCommand();
    const argv = ['follow', ...FOLLOW, '--workspace', WORKSPACE];
    const first = await run(openGateway(FIRST), ...argv);
    expect([first.code, first.out]).toEqual([0, expect.stringContaining('history of 3 cert')]);
    const second = await run(openGateway(LATER), ...argv);
    expect([second.code, second.out]).toEqual([0, expect.stringContaining('history of 5 cert')]);
  });

  it('reports a stated loss once, and follows the workspace across it', async () => {
    const { run } = openCommand();
    const argv = ['follow', ...FOLLOW, '--workspace', WORKSPACE];
    await run(openGateway(FIRST), ...argv);
    const [more, all] = [
      [...FIRST, ['lost'], ['lost'], [], [...FIRST.at(-1)!, 'new']],
      [...FIRST, ['lost'], ['lost'], [], [...FIRST.at(-1)!, 'new'], [...FIRST.at(-1)!, 'new']],
    ];
    const loss = { first: FIRST.length, last: FIRST.length + 1 };
    const first = await run(openGateway(more, 'secret', loss), ...argv);
    expect(first.out).toContain('LOSS: epoch 4 states that epochs 2 to 3 were lost');
    expect([first.code, first.out]).toEqual([1, expect.stringContaining('history of 4 cert')]);
    const second = await run(openGateway(all, 'secret', loss), ...argv);
    expect([second.code, second.out]).toEqual([0, expect.stringContaining('history of 4 cert')]);
  });

  it('does not take an epoch without the workspace for a lost one', async () => {
    const { run } = openCommand();
    const argv = ['follow', ...FOLLOW, '--workspace', WORKSPACE];
    await run(openGateway(FIRST), ...argv);
    const more = openGateway([...FIRST, FIRST.at(-1)!, FIRST.at(-1)!, FIRST.at(-1)!], 'secret', {
      ...{ first: FIRST.length, last: FIRST.length },
    });
    delete more.epochs.at(-1)!.treeHead;
    const { code, out } = await run(more, ...argv);
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('epoch 4 does not have the workspace'),
    ]);
  });

  it.each([
    ['another history', [...FIRST, ['a', 'x', 'c', 'd']], 'tree: the 4 certificates of epoch 2'],
    ['a history cut off', [...FIRST, ['a', 'b']], 'tree: the 2 certificates of epoch 2'],
  ])('names the epoch in which a workspace has %s', async (_name, leaves, message) => {
    const { run } = openCommand();
    const argv = ['follow', ...FOLLOW, '--workspace', WORKSPACE];
    await run(openGateway(FIRST), ...argv);
    const { code, out } = await run(openGateway(leaves), ...argv);
    expect([code, out]).toEqual([1, expect.stringContaining(message)]);
  });

  it('does not accept the head of another workspace', async () => {
    const { run } = openCommand();
    const { code, out } = await run(openGateway(FIRST), 'follow', ...FOLLOW, '--workspace', 'ws_2');
    expect([code, out]).toEqual([1, expect.stringContaining('INVALID: tree_head')]);
  });

  it('prints what a log is, and that its own policy needs no witness', async () => {
    const { run } = openCommand();
    const own = await run(openGateway(FIRST), 'status');
    expect(own.code).toBe(0);
    expect(own.out).toContain('policy: that of the gateway itself');
    expect(own.out).toContain('not witnessed');
    const given = await run(openGateway(FIRST), 'status', '--policy', 'policy.txt');
    expect(given.out).toContain('witness w1: cosigned 2026-');
  });

  it.each([
    ['an unknown command', ['adore']],
    ['no state', ['monitor', '--policy', 'policy.txt']],
    ['no policy', ['monitor', '--state', 'state.json']],
    ['no folder', ['mirror', ...FOLLOW]],
    ['no workspace', ['follow', ...FOLLOW]],
  ])('refuses %s as wrong usage', async (_name, argv) => {
    const { run } = openCommand();
    const { code, out } = await run(openGateway(FIRST), ...argv);
    expect([code, out]).toEqual([2, expect.stringContaining('Usage: witan log status')]);
  });
});
