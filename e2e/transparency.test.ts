import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parsePolicy, verifyBundle } from '@witan/proof';
import { createProcessIo } from '@witan/proof/cli/command-io';
import { runVerify } from '@witan/proof/cli/verify';
import { epochEntry } from '@witan/proof/tlog/bundle';
import type { BundleKey } from '@witan/proof/tlog/bundle';
import { splitEntries } from '@witan/proof/tlog/entry-bundle';
import { mapKeyOf, mapValue, rootOfMapEntry } from '@witan/proof/tlog/map';
import { appendLeaf, edgeRoot, leafHash } from '@witan/proof/tlog/merkle';
import { parseNote } from '@witan/proof/tlog/note';
import { tileHashes, tilePath } from '@witan/proof/tlog/tile';
import { verifyCheckpointText } from '@witan/proof/tlog/verify-bundle';
import { Client } from 'pg';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { createHttpClient, PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { openKeys } from './open-keys.ts';
import type { Keys } from './open-keys.ts';

const ENV = { WITAN_LOG_INTERVAL_MS: '200' };
const WAIT = 'wait=20';

const rootOf = (leaves: readonly Uint8Array[]): Uint8Array => {
  const edge: Uint8Array[] = [];
  for (const [i, leaf] of leaves.entries()) appendLeaf(edge, i, leaf);
  return edgeRoot(edge);
};

describe.each(TRANSPORTS)('the transparency log, services over %s', (transport) => {
  let fixture: Fixture;
  let keys: Keys;
  let expectDocumented: ExpectDocumented;
  beforeAll(async () => {
    fixture = await openFixture({ transport, env: ENV });
    keys = await openKeys(fixture.system);
    expectDocumented = await createExpectDocumented(fixture.client);
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const authorization = () => ({ authorization: `Bearer ${fixture.system.apiKey}` });
  /** Makes a call and returns the id of its certificate. */
  const certify = async (): Promise<string> => {
    const { headers } = await fixture.client.complete(PING);
    return headers.get('x-service-proof')!;
  };
  const bundleOf = async (id: string): Promise<Answer> => {
    const headers = { ...authorization(), prefer: WAIT };
    const answer = await fixture.client.send(`/v1/proofs/${id}/bundle`, { headers });
    expectDocumented(answer, 'GET /v1/proofs/{id}/bundle');
    return answer;
  };
  const readPublic = async (path: string, operation = path): Promise<Answer> => {
    const answer = await fixture.client.send(path, { headers: {} });
    expectDocumented(answer, `GET ${operation}`);
    return answer;
  };
  const policyText = async (): Promise<string> =>
    ((await readPublic('/v1/log')).json as { policy: string }).policy;

  it('has a bundle for a call, which verifies offline and says "not witnessed"', async () => {
    const answer = await bundleOf(await certify());
    expect(answer.status).toBe(200);
    const policy = await policyText();
    expect(verifyBundle(answer.text, parsePolicy(policy)).witnessedAt).toBeUndefined();
    const folder = await mkdtemp(join(tmpdir(), 'witan-bundle-'));
    const [bundle, policyFile] = [join(folder, 'bundle.json'), join(folder, 'policy.txt')];
    await writeFile(bundle, answer.bytes);
    await writeFile(policyFile, policy);
    const lines: string[] = [];
    const io = { ...createProcessIo(), stdout: (line: string) => void lines.push(line) };
    expect(await runVerify([bundle, '--policy', policyFile], io)).toBe(0);
    expect(lines.at(-1)).toBe('valid');
    expect(lines.join('\n')).toContain('not witnessed');
    await rm(folder, { recursive: true });
  });

  it('describes the log to everybody, and says that it is not witnessed', async () => {
    await bundleOf(await certify());
    const { json, headers } = await readPublic('/v1/log');
    expect(json).toMatchObject({ origin: 'localhost/witan', intervalMs: 200, witnessed: false });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const { text, headers: caching } = await readPublic('/v1/log/checkpoint');
    expect(caching.get('cache-control')).toBe('public, max-age=1');
    const { size } = verifyCheckpointText(text, parsePolicy(await policyText()));
    expect(size).toBeGreaterThan(0);
  });

  it('gives the same root from its tiles of entries and of hashes, to anybody', async () => {
    await bundleOf(await certify());
    const { text } = await readPublic('/v1/log/checkpoint');
    const { size, root } = verifyCheckpointText(text, parsePolicy(await policyText()));
    const read = (level: number | 'entries', width: number): Promise<Answer> =>
      readPublic(`/v1/log/${tilePath({ level, n: 0, width })}`, '/v1/log/tile/{tile}');
    const entries = await read('entries', size);
    expect(entries.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const leaves = splitEntries(entries.bytes).map(leafHash);
    expect(Buffer.from(rootOf(leaves)).equals(root)).toBe(true);
    const hashes = await read(0, size);
    expect(Buffer.concat(leaves).equals(hashes.bytes)).toBe(true);
    expect((await read(0, 1)).bytes).toHaveLength(32);
  });

  /** Sends the path as it is, which `fetch` would normalize, and returns the status. */
  const sendRaw = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(fixture.system.baseUrl);
      get({ hostname, port, path, headers: authorization() }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      }).on('error', reject);
    });

  describe.each(['/v1/log', '/v1/proofs/tree'])('in %s', (prefix) => {
    beforeAll(async () => {
      await bundleOf(await certify());
    });

    it.each([
      'tile/0/0.p/1',
      'tile/0/0000.p/1',
      'tile/00/000.p/1',
      'tile/0/x000/000.p/1',
      'tile/0/000.p/01',
      'tile/0/000.p/1/',
      'tile/0%2F000.p/1',
      'tile/0/000.p%2f1',
      'tile/0/000.p/%31',
      'tile/./0/000.p/1',
      'tile/../tile/0/000.p/1',
      'tile/../checkpoint',
    ])('has one spelling a tile: %s', async (path) => {
      expect(await sendRaw(`${prefix}/tile/0/000.p/1`)).toBe(200);
      expect(await sendRaw(`${prefix}/${path}`)).toBe(404);
    });

    it.each([
      'tile/0/000',
      'tile/0/000.p/255',
      'tile/0/001.p/1',
      'tile/1/000.p/1',
      'tile/entries/000',
      `tile/${'0/'.repeat(80)}`,
    ])('has no tile beyond its size: %s', async (path) => {
      expect(await sendRaw(`${prefix}/${path}`)).toBe(404);
    });
  });

  /** Runs `work` while no epoch can be written. */
  const withoutEpochs = async <T>(work: () => Promise<T>): Promise<T> => {
    const admin = new Client({ connectionString: fixture.system.databaseUrl });
    await admin.connect();
    try {
      await admin.query('BEGIN; LOCK TABLE ledger.epoch IN SHARE MODE');
      return await work();
    } finally {
      await admin.end();
    }
  };

  it('answers 202 while a certificate is not in an epoch, and waits if asked to', async () => {
    const { id, waiting } = await withoutEpochs(async () => {
      const made = await certify();
      const first = await fixture.client.send(`/v1/proofs/${made}/bundle`);
      expectDocumented(first, 'GET /v1/proofs/{id}/bundle');
      expect([first.status, first.headers.get('retry-after')]).toEqual([202, '5']);
      expect(first.json).toEqual({ status: 'pending' });
      return { id: made, waiting: bundleOf(made) };
    });
    expect((await waiting).status).toBe(200);
    expect((await fixture.client.send(`/v1/proofs/${id}/bundle`)).text).toBe((await waiting).text);
  });

  it('lets no cache store what belongs to a workspace', async () => {
    const id = await certify();
    await bundleOf(id);
    const tree = '/v1/proofs/tree';
    const paths = [`${tree}/checkpoint`, `${tree}/tile/0/000.p/1`, `${tree}/tile/entries/000.p/1`];
    for (const path of [...paths, `/v1/proofs/${id}/bundle`, '/v1/proofs/epochs?limit=1']) {
      const { status, headers } = await fixture.client.send(path);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'no-store']);
    }
  });

  it('shows a bundle, tree and epochs to their workspace only', async () => {
    const id = await certify();
    await bundleOf(id);
    const other = createHttpClient(await keys.makeKey());
    expect((await other.send(`/v1/proofs/${id}/bundle`)).status).toBe(404);
    expect((await other.send('/v1/proofs/tree/checkpoint')).status).toBe(404);
    expect((await other.send('/v1/proofs/tree/tile/0/000.p/1')).status).toBe(404);
    const epochs = await other.send('/v1/proofs/epochs?limit=100');
    expect([epochs.status, epochs.text]).toEqual([200, expect.stringContaining('"entry"')]);
    expect(epochs.text).not.toContain('treeHead');
    for (const path of [`/v1/proofs/${id}/bundle`, '/v1/proofs/tree/checkpoint']) {
      expect((await fixture.client.send(path, { headers: {} })).status).toBe(401);
    }
  });

  it("serves the workspace's own tree as a log of its certificates", async () => {
    await bundleOf(await certify());
    const checkpoint = await fixture.client.send('/v1/proofs/tree/checkpoint');
    expectDocumented(checkpoint, 'GET /v1/proofs/tree/checkpoint');
    const [origin, size, root] = parseNote(checkpoint.text).text.split('\n');
    expect(origin).toMatch(/^localhost\/witan\/tree\/[0-9a-f]{64}$/);
    const tile = tilePath({ level: 'entries', n: 0, width: Number(size) });
    const { bytes } = await fixture.client.send(`/v1/proofs/tree/${tile}`);
    const entries = splitEntries(bytes);
    expect(Buffer.from(rootOf(entries.map(leafHash))).toString('base64')).toBe(root);
    const certificates = await fixture.client.listCertificates();
    expect(entries.map((entry) => Buffer.from(entry.subarray(0, 32)).toString('hex'))).toEqual(
      certificates.slice(0, entries.length).map(({ payload_hash: hash }) => hash),
    );
  });

  it('lets a follower open the head of its workspace in each epoch', async () => {
    await bundleOf(await certify());
    const answer = await fixture.client.send('/v1/proofs/epochs?from=0&limit=100');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    type Epoch = { epoch: number; entry: string; keys: BundleKey[]; treeHead?: string } & Record<
      'salt' | 'path',
      string
    >;
    const epochs = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Epoch);
    const { workspaceId } = fixture.system;
    const mapKey = mapKeyOf('witan', workspaceId);
    const opened = epochs.filter(({ treeHead }) => treeHead !== undefined);
    expect(opened.length).toBeGreaterThan(0);
    for (const { entry, keys: list, treeHead, salt, path } of opened) {
      const value = mapValue(Buffer.from(salt, 'base64'), parseNote(treeHead!).text);
      const root = rootOfMapEntry({ key: mapKey, value }, tileHashes(Buffer.from(path, 'base64')));
      expect(epochEntry(root, list)).toBe(entry);
    }
    const past = await fixture.client.send('/v1/proofs/epochs?from=100000');
    expect([past.status, past.text]).toEqual([200, '']);
    const invalid = await fixture.client.send('/v1/proofs/epochs?limit=101');
    expect(invalid.status).toBe(400);
  });
});
