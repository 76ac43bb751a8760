import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parsePolicy, verifyBundle } from '@witan/proof';
import { parseCheckpoint, formatCheckpoint } from '@witan/proof/tlog/checkpoint';
import {
  createNoteKey,
  formatNoteKey,
  formatSignatureLine,
  parseNote,
} from '@witan/proof/tlog/note';
import { eventually } from '@witan/testing';
import { PING } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

// Programs of others judge the log of a running system. To have them, with Go:
//   go install filippo.io/torchwood/cmd/litewitness@v0.9.0
//   go install github.com/transparency-dev/tessera/cmd/fsck@v1.0.4, renamed to tessera-fsck

const run = promisify(execFile);
const ORIGIN = 'log.witan.test/oracles';
const PROGRAMS = ['litewitness', 'tessera-fsck', 'ssh-agent', 'ssh-add', 'ssh-keygen'];
const find = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
const missing = PROGRAMS.filter((name) => find(name) === undefined);
const itWithOracles = missing.length === 0 ? it : it.skip;
const skipNote = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')})`;
/** `fsck` with one worker hangs on a bad tile instead of failing. */
const FSCK_LIMIT_MS = 60_000;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

describe(`programs of others on the transparency log${skipNote}`, () => {
  let folder: string;
  let fixture: Fixture | undefined;
  let policy: string;
  let witnessUrls: string[];
  const children: ChildProcess[] = [];
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32));
  const logKey = createNoteKey({ name: ORIGIN, type: 1, key: raw });

  const start = (name: string, argv: string[], env = {}): void => {
    const child = spawn(find(name)!, argv, { stdio: 'ignore', env: { ...process.env, ...env } });
    children.push(child);
  };
  /** Starts a litewitness that knows the log, and returns its line of the policy. */
  const startWitness = async (name: string): Promise<{ line: string; url: string }> => {
    const [keyFile, socket, db] = ['key', 'sock', 'db'].map((end) =>
      join(folder, `${name}.${end}`),
    );
    await run(find('ssh-keygen')!, ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile!]);
    start('ssh-agent', ['-D', '-a', socket!]);
    const agent = { ...process.env, SSH_AUTH_SOCK: socket! };
    await eventually(() =>
      run(find('ssh-add')!, [keyFile!], { env: agent }).catch(() => false as const),
    );
    const [, base64 = ''] = (await readFile(`${keyFile}.pub`, 'utf8')).split(' ');
    const key = new Uint8Array(Buffer.from(base64, 'base64').subarray(-32));
    const { stdout } = await run(find('ssh-keygen')!, ['-l', '-f', `${keyFile}.pub`]);
    const fingerprint = stdout.split(' ')[1]!;
    registerLog(db!);
    const port = await freePort();
    const listen = `127.0.0.1:${port}`;
    const witness = `${name}.witness.test`;
    start('litewitness', [
      ...['-name', witness, '-db', db!, '-ssh-agent', socket!],
      ...['-key', fingerprint, '-listen', listen],
    ]);
    const vkey = formatNoteKey(createNoteKey({ name: witness, type: 4, key }));
    return { line: `witness ${name} ${vkey} http://${listen}`, url: `http://${listen}` };
  };
  /** What `witnessctl add-log` and `add-key` do. */
  const registerLog = (file: string): void => {
    const database = new DatabaseSync(file);
    database.exec(`
      CREATE TABLE log (
        origin TEXT PRIMARY KEY, tree_size INTEGER NOT NULL, tree_hash TEXT NOT NULL);
      CREATE TABLE key (
        origin TEXT NOT NULL, key TEXT NOT NULL, FOREIGN KEY(origin) REFERENCES log(origin))`);
    const empty = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
    database.prepare('INSERT INTO log VALUES (?, 0, ?)').run(ORIGIN, empty);
    database.prepare('INSERT INTO key VALUES (?, ?)').run(ORIGIN, formatNoteKey(logKey));
    database.close();
  };

  beforeAll(async () => {
    if (missing.length > 0) return;
    folder = await mkdtemp(join(tmpdir(), 'witan-oracles-'));
    const witnesses = [await startWitness('a'), await startWitness('b')];
    witnessUrls = witnesses.map(({ url }) => url);
    policy = [
      `log ${formatNoteKey(logKey)}`,
      ...witnesses.map(({ line }) => line),
      ...['group both all a b', 'quorum both', ''],
    ].join('\n');
    const [keyFile, policyFile] = [join(folder, 'log.pem'), join(folder, 'policy.txt')];
    await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await writeFile(policyFile, policy);
    fixture = await openFixture({
      env: {
        WITAN_LOG_KEY_FILE: keyFile,
        WITAN_LOG_ORIGIN: ORIGIN,
        WITAN_LOG_POLICY_FILE: policyFile,
        WITAN_LOG_INTERVAL_MS: '200',
        WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
      },
    });
  }, 120_000);
  afterAll(async () => {
    await fixture?.[Symbol.asyncDispose]();
    for (const child of children) child.kill('SIGKILL');
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const bundleOfCall = async (): Promise<string> => {
    const { client, system } = fixture!;
    const { headers } = await client.complete(PING);
    const prefer = { authorization: `Bearer ${system.apiKey}`, prefer: 'wait=20' };
    const path = `/v1/proofs/${headers.get('x-service-proof')}/bundle`;
    return (await client.send(path, { headers: prefer })).text;
  };
  const fsck = async (path: string, vkey: string, argv: string[] = []): Promise<void> => {
    const keyFile = join(folder, 'fsck.vkey');
    await writeFile(keyFile, vkey);
    await run(
      find('tessera-fsck')!,
      [
        ...[`--storage_url=${fixture!.system.baseUrl}${path}`, `--public_key=${keyFile}`],
        ...['--ui=false', '--N=2', '--logtostderr', ...argv],
      ],
      { timeout: FSCK_LIMIT_MS },
    );
  };

  itWithOracles('litewitness cosigns it', async () => {
    const bundles = [await bundleOfCall(), await bundleOfCall(), await bundleOfCall()];
    for (const bundle of bundles) {
      const verified = verifyBundle(bundle, parsePolicy(policy), { withinMs: 60_000 });
      expect(verified.witnesses.map(({ name }) => name)).toEqual(['a', 'b']);
    }
  });

  itWithOracles("Tessera's fsck accepts the log, and the tree of a workspace", async () => {
    await bundleOfCall();
    await fsck('/v1/log/', formatNoteKey(logKey));
    const { text } = await fixture!.client.send('/v1/proofs/tree/checkpoint');
    const { origin: name } = parseCheckpoint(parseNote(text).text);
    const treeKey = formatNoteKey(createNoteKey({ name, type: 1, key: raw }));
    await fsck('/v1/proofs/tree/', treeKey, [`--bearer_token=${fixture!.system.apiKey}`]);
  });

  itWithOracles('litewitness refuses a fork of the same size', async () => {
    await bundleOfCall();
    const { text } = await fixture!.client.send('/v1/log/checkpoint', { headers: {} });
    const { size } = parseCheckpoint(parseNote(text).text);
    const forged = formatCheckpoint({ origin: ORIGIN, size, root: new Uint8Array(32) });
    const signature = new Uint8Array(sign(null, Buffer.from(forged), privateKey));
    const body = `old ${size}\n\n${forged}\n${formatSignatureLine(logKey, signature)}\n`;
    for (const url of witnessUrls) {
      const { status } = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
      expect([409, 422]).toContain(status);
    }
  });
});
