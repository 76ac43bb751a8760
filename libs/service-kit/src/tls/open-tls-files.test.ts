import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ModelService } from '@witan/contracts/services';
import { eventually } from '@witan/testing';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import type { TestCertificate } from '@witan/testing/create-test-certificate';
import { Registry } from 'prom-client';
import { implementCompletions } from '../../test/implement-completions.ts';
import { mountSecret } from '../../test/mount-secret.ts';
import type { MountedSecret } from '../../test/mount-secret.ts';
import { CALL, openCallee } from '../../test/open-callee.ts';
import type { Callee } from '../../test/open-callee.ts';
import { openCaller } from '../../test/open-caller.ts';
import type { Caller } from '../../test/open-caller.ts';
import { reasonOf } from '../../test/reason-of.ts';
import { createLog } from '../log/create-log.ts';
import { implement } from '../rpc/transport.ts';
import { createTlsMetrics, openTlsFiles } from './open-tls-files.ts';
import type { TlsFiles } from './open-tls-files.ts';
import { readTlsFiles } from './read-tls-files.ts';

const REFRESH_MS = 10;
const NAMES = ['localhost', '127.0.0.1'];
const DAY_MS = 86_400_000;

const authority = (): TestCertificate =>
  createTestCertificate(['an authority'], { isAuthority: true });
const issue = (issuer: TestCertificate, trusted: readonly TestCertificate[] = [issuer]) => {
  const { cert, key } = createTestCertificate(NAMES, { issuer });
  return { 'tls.crt': cert, 'tls.key': key, 'ca.crt': trusted.map((one) => one.cert).join('') };
};

const closers: (() => PromiseLike<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

type Party = { secret: MountedSecret; tls: TlsFiles; lines: { event: string; level: string }[] };

const openParty = async (files: ReturnType<typeof issue>, now?: () => number): Promise<Party> => {
  const secret = await mountSecret(files);
  const lines: Party['lines'] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line));
  const log = createLog({ service: 'party', level: 'info', destination: { write } });
  const tls = await openTlsFiles({
    paths: secret.paths,
    log,
    refreshMs: REFRESH_MS,
    ...(now ? { now } : {}),
  });
  closers.push(
    () => secret[Symbol.asyncDispose](),
    () => tls[Symbol.asyncDispose](),
  );
  return { secret, tls, lines };
};

const eventsOf = ({ lines }: Party): string[] => lines.map(({ event }) => event);
const whenLogged = (party: Party, event: string, count = 1): Promise<boolean> =>
  eventually(() => eventsOf(party).filter((one) => one === event).length >= count, event);

type TlsCallee = Callee & { finishStreams: () => void };

/** Opens a service whose streams send a second message after `finishStreams`. */
const serve = async ({ tls }: Party): Promise<TlsCallee> => {
  const gate = Promise.withResolvers<void>();
  const toEvent = (text: string) => ({
    event: { case: 'wire' as const, value: Buffer.from(text) },
  });
  const callee = await openCallee(
    [
      implement(ModelService, { listModels: async () => ({ models: [{ id: 'served' }] }) }),
      implementCompletions({
        async *complete() {
          yield toEvent('first');
          await gate.promise;
          yield toEvent('last');
        },
        async *completeAs() {
          yield toEvent('served');
        },
      }),
    ],
    { credentials: tls.server },
  );
  closers.push(() => callee.stop(0));
  return { ...callee, finishStreams: gate.resolve };
};

const call = (callee: Callee, { tls }: Party): Caller => {
  const address = `localhost:${callee.port}`;
  const caller = openCaller({ ...callee, address }, { credentials: tls.channel });
  closers.push(caller.transport.close);
  return caller;
};

const connect = async (callee: Callee, client: Party): Promise<Caller> => {
  const caller = call(callee, client);
  await caller.transport.ready(CALL.timeoutMs);
  return caller;
};

/** Resolves when `run` succeeds: a refused transport connects again within a second or two. */
const whenServed = (run: () => Promise<unknown>): Promise<boolean> =>
  eventually(async () => (await reasonOf(run())) === 'no failure', 'a call that is served');

/** Returns the serial number of the certificate that the server presents to a new connection. */
const readServedSerial = async ({ port }: Callee, { secret }: Party): Promise<string> => {
  const { cert, key, ca } = await readTlsFiles(secret.paths);
  const socket = connectTls({ port, host: 'localhost', cert, key, ca, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
};

const serialOf = async ({ secret }: Party): Promise<string> =>
  (await readTlsFiles(secret.paths)).serialNumber;

describe('TLS files that are replaced as Kubernetes does', () => {
  it('are used by new connections, and running calls continue', async () => {
    const ca = authority();
    const [server, client] = [await openParty(issue(ca)), await openParty(issue(ca))];
    const callee = await serve(server);
    const caller = await connect(callee, client);
    const finish = await caller.startStream();
    const before = await readServedSerial(callee, client);
    expect(before).toBe(await serialOf(server));
    await server.secret.update(issue(ca));
    await whenLogged(server, 'tls_files_reloaded');
    const after = await readServedSerial(callee, client);
    expect(after).toBe(await serialOf(server));
    expect(after).not.toBe(before);
    callee.finishStreams();
    expect(await finish()).toBe(2);
  });

  it('refuse certificates of a removed authority, and present new ones to a new authority', async () => {
    const [old, next] = [authority(), authority()];
    const server = await openParty(issue(old));
    // It trusts both authorities, so that only the server's refusal can fail its calls.
    const client = await openParty(issue(old, [old, next]));
    const callee = await serve(server);
    await server.secret.update(issue(next));
    await whenLogged(server, 'tls_files_reloaded');
    const caller = call(callee, client);
    expect(await reasonOf(caller.readReplicaName())).toBe('UNAVAILABLE');
    expect(await reasonOf(caller.readDuplexName())).toBe('UNAVAILABLE');
    await client.secret.update(issue(next));
    await whenLogged(client, 'tls_files_reloaded');
    // The same transport connects with the new files, without being opened again.
    await whenServed(() => caller.readReplicaName());
    await whenServed(() => caller.readDuplexName());
  });

  it('refuse servers of a removed authority', async () => {
    const [old, next] = [authority(), authority()];
    const server = await openParty(issue(old, [old, next]));
    const client = await openParty(issue(old));
    await client.secret.update(issue(next));
    await whenLogged(client, 'tls_files_reloaded');
    const callee = await serve(server);
    const caller = call(callee, client);
    expect(await reasonOf(caller.readReplicaName())).toBe('UNAVAILABLE');
    await server.secret.update(issue(next));
    await whenServed(() => caller.readReplicaName());
  });

  it('keep the calls of a client connected whose authority the server no longer trusts', async () => {
    const [old, next] = [authority(), authority()];
    const [server, client] = [await openParty(issue(old)), await openParty(issue(old))];
    const callee = await serve(server);
    const finish = await (await connect(callee, client)).startStream();
    await server.secret.update(issue(next));
    await whenLogged(server, 'tls_files_reloaded');
    callee.finishStreams();
    expect(await finish()).toBe(2);
  });
});

describe('TLS files that cannot be used', () => {
  const other = createTestCertificate(NAMES);
  const truncated = other.cert.slice(0, other.cert.length / 2);

  it.each([
    ['a key of another certificate', 'tls.key', other.key, 'WITAN_TLS_KEY_FILE'],
    ['half a certificate', 'tls.crt', truncated, 'WITAN_TLS_CERT_FILE'],
    ['an incomplete list of authorities', 'ca.crt', other.cert + truncated, 'WITAN_TLS_CA_FILE'],
    ['an empty authority', 'ca.crt', '', 'WITAN_TLS_CA_FILE'],
    ['no file', 'tls.crt', undefined, 'WITAN_TLS_CERT_FILE'],
  ] as const)('leave the previous ones in use: %s', async (_name, file, text, variable) => {
    const ca = authority();
    const [server, client] = [await openParty(issue(ca)), await openParty(issue(ca))];
    const callee = await serve(server);
    const before = await readServedSerial(callee, client);
    await server.secret.write(file, text);
    await whenLogged(server, 'tls_files_rejected');
    expect(await readServedSerial(callee, client)).toBe(before);
    await whenServed(() => call(callee, client).readReplicaName());
    const [line] = server.lines.filter(({ event }) => event === 'tls_files_rejected');
    expect(line).toMatchObject({
      level: 'error',
      err: { message: expect.stringContaining(variable) },
    });
    expect(JSON.stringify(line)).not.toContain('-----BEGIN');
    await server.secret.update(issue(ca));
    await whenLogged(server, 'tls_files_reloaded');
    expect(eventsOf(server)).toEqual(['tls_files_rejected', 'tls_files_reloaded']);
    expect(await readServedSerial(callee, client)).not.toBe(before);
  });

  it('fail the start', async () => {
    const secret = await mountSecret({ ...issue(authority()), 'tls.key': other.key });
    closers.push(() => secret[Symbol.asyncDispose]());
    const log = createLog({ service: 'party', level: 'silent' });
    await expect(openTlsFiles({ paths: secret.paths, log })).rejects.toThrow('WITAN_TLS_KEY_FILE');
  });
});

describe('the expiry of TLS files', () => {
  const lasting = (days: number) => {
    const notBefore = new Date(IN_30_DAYS.getTime() - days * DAY_MS);
    const notAfter = IN_30_DAYS;
    const ca = createTestCertificate(['an authority'], { isAuthority: true, notBefore, notAfter });
    const leaf = createTestCertificate(NAMES, { issuer: ca, notBefore, notAfter });
    return { 'tls.crt': leaf.cert, 'tls.key': leaf.key, 'ca.crt': ca.cert };
  };
  const IN_30_DAYS = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 30 * DAY_MS);

  it('is a metric, which follows a renewal', async () => {
    const party = await openParty(issue(authority()));
    const registry = new Registry();
    createTlsMetrics(registry, party.tls);
    await party.secret.update(lasting(90));
    await whenLogged(party, 'tls_files_reloaded');
    const seconds = IN_30_DAYS.getTime() / 1_000;
    const text = await registry.metrics();
    for (const file of ['certificate', 'authority']) {
      expect(text).toContain(`tls_certificate_expiry_timestamp_seconds{file="${file}"} ${seconds}`);
    }
  });

  it('has no value without TLS', async () => {
    const registry = new Registry();
    createTlsMetrics(registry, undefined);
    expect(await registry.metrics()).not.toContain('\ntls_');
  });

  it.each([
    ['14 days before', 90, 14],
    ['a quarter of a short lifetime before', 1, 0.25],
  ])('is logged once a day from %s', async (_name, lifetimeDays, warnedDays) => {
    const clock = { ms: IN_30_DAYS.getTime() - warnedDays * DAY_MS - 1 };
    const party = await openParty(lasting(lifetimeDays), () => clock.ms);
    expect(eventsOf(party)).toEqual([]);
    clock.ms += 1;
    await whenLogged(party, 'tls_certificate_expires_soon');
    clock.ms += DAY_MS;
    await whenLogged(party, 'tls_certificate_expires_soon', 2);
    expect(party.lines.map(({ level }) => level)).toEqual(['warn', 'warn']);
  });

  it('is logged while the files of the renewal cannot be used', async () => {
    const clock = { ms: IN_30_DAYS.getTime() - 15 * DAY_MS };
    const party = await openParty(lasting(90), () => clock.ms);
    await party.secret.write('tls.crt', undefined);
    await whenLogged(party, 'tls_files_rejected');
    clock.ms += 2 * DAY_MS;
    await whenLogged(party, 'tls_certificate_expires_soon');
    expect(eventsOf(party)).toEqual(['tls_files_rejected', 'tls_certificate_expires_soon']);
  });
});
