import { describe, expect, it } from '@jest/globals';
import manifest from '../../../../package.json' with { type: 'json' };
import { describeError, listWithoutCredentials, withoutCredentials } from './check.ts';
import type { Check } from './check.ts';
import { judgeBroker } from './judge-broker.ts';
import { judgeOffset } from './judge-clock.ts';
import { judgeServer, judgeServiceDatabase } from './judge-database.ts';
import type { DatabaseState } from './judge-database.ts';
import { judgeModes, judgeServiceKeys } from './judge-keys.ts';
import { judgeApi, judgeDisk, judgeNode, judgeReadiness } from './judge-machine.ts';

const SERVER: DatabaseState & { place: string } = {
  place: 'postgres://db/witan',
  versionNumber: 180_004,
  connections: { max: 200, reserved: 3, used: 10 },
  clock: { offsetMs: 10, uncertaintyMs: 5 },
  durability: { fsync: 'on', fullPageWrites: 'on', synchronousCommit: 'on' },
  migrations: { known: [], applied: [] },
  outbox: undefined,
};

const serverCheck = (name: string, change: Partial<DatabaseState>): Check | undefined =>
  judgeServer({ ...SERVER, ...change }, 6).find((check) => check.name === `database ${name}`);

const readiness = (checks: Record<string, string> | undefined): Check =>
  judgeReadiness([{ service: 'ledger', url: 'http://ledger:9090', checks }]);

const account = (storageLimitBytes: number): Check | undefined => {
  const jetStream = { differences: [], account: { storageBytes: 0, storageLimitBytes } };
  const inspection = { serverVersion: '2.11.0', jetStream };
  const checks = judgeBroker({ place: 'nats://a:4222', wantedBytes: 1_000_000, inspection });
  return checks.find(({ name }) => name === 'broker storage');
};

const lateOutbox = (oldestSeconds: number): Check => {
  const outbox = { waiting: 1, dead: 0, oldestSeconds };
  const facts = { ...SERVER, service: 'agents', role: 'witan_agents', outbox };
  return judgeServiceDatabase(facts).find(({ name }) => name === 'outbox agents')!;
};

const mode = (bits: number, mounted: boolean): Check =>
  judgeModes([{ file: 'key.pem', mode: 0o100_000 | bits }], { mounted });

const disk = (mebibytes: number): Check =>
  judgeDisk({ label: 'home', folder: '/home', freeBytes: mebibytes * 1024 * 1024 });

const offset = (offsetMs: number, uncertaintyMs = 0): Check =>
  judgeOffset('clock', { offsetMs, uncertaintyMs, of: 'db' });

describe('the judgements of witan doctor', () => {
  it.each<[name: string, check: Check | undefined, state: Check['state']]>([
    ['the pinned Node', judgeNode('24.21.0'), 'ok'],
    ['an old Node', judgeNode('20.20.2'), 'fail'],
    ['a newer Node', judgeNode('26.0.0'), 'warn'],
    ['free disk space', disk(4_096), 'ok'],
    ['little disk space', disk(1_000), 'warn'],
    ['a full disk', disk(100), 'fail'],
    ['a tested PostgreSQL', serverCheck('version', {}), 'ok'],
    ['an old PostgreSQL', serverCheck('version', { versionNumber: 150_002 }), 'warn'],
    ['free connections', serverCheck('connections', {}), 'ok'],
    [
      'too few connections for the services',
      serverCheck('connections', { connections: { max: 40, reserved: 3, used: 1 } }),
      'warn',
    ],
    [
      'no free connection',
      serverCheck('connections', { connections: { max: 200, reserved: 3, used: 197 } }),
      'fail',
    ],
    [
      'commits that a crash loses',
      serverCheck('durability', {
        durability: { fsync: 'on', fullPageWrites: 'on', synchronousCommit: 'off' },
      }),
      'fail',
    ],
    ['an outbox that is published', lateOutbox(2), 'ok'],
    ['an outbox that is not published', lateOutbox(120), 'warn'],
    ['equal clocks', offset(500), 'ok'],
    ['a clock that is ahead', offset(2_000), 'warn'],
    ['a difference within its uncertainty', offset(-2_000, 1_500), 'ok'],
    ['a clock that is far behind', offset(-9_000), 'fail'],
    ['an account without limit', account(-1), 'ok'],
    ['an account with too little storage', account(1_000), 'warn'],
    ['a ready service', readiness({ database: 'ok' }), 'ok'],
    ['a service that is not ready', readiness({ database: 'failing' }), 'fail'],
    ['a degraded service', readiness({ database: 'degraded', ledger: 'ok' }), 'warn'],
    ['a degraded, failing service', readiness({ a: 'degraded', b: 'failing' }), 'fail'],
    ['a service that does not respond', readiness(undefined), 'fail'],
    ['no service', judgeReadiness([]), 'skipped'],
    ['an API without a key', judgeApi({ baseUrl: 'http://a', status: undefined }), 'ok'],
    ['a key without the scope', judgeApi({ baseUrl: 'http://a', status: 403 }), 'ok'],
    ['a failing API', judgeApi({ baseUrl: 'http://a', status: 503 }), 'fail'],
    ['an API that does not respond', judgeApi({ baseUrl: 'http://a', error: 'x' }), 'fail'],
    ['a private file', mode(0o600, false), 'ok'],
    ['a file of a group', mode(0o640, false), 'warn'],
    ['a mounted file of a group', mode(0o440, true), 'ok'],
    ['a mounted file of everyone', mode(0o444, true), 'warn'],
    ['no service keys', judgeServiceKeys([], undefined), 'skipped'],
  ])('judge %s', (_name, check, state) => {
    expect(check?.state).toBe(state);
    expect(check?.advice === undefined).toBe(state === 'ok' || state === 'skipped');
  });
});

it('accept the Node that package.json pins', () => {
  expect(judgeNode(manifest.devDependencies.node).state).toBe('ok');
});

describe('withoutCredentials', () => {
  it.each([
    ['postgres://user:p%40ss@db:5432/witan?password=x', 'postgres://db:5432/witan'],
    ['postgres://u:pa,ss@host/db', 'postgres://host/db'],
    ['https://key@host/v1#part', 'https://host/v1'],
    ['http://u:pass@host:8080', 'http://host:8080'],
    ['nats://u:p/ss@host:4222', 'an invalid URL'],
    ['http://u:12/ss@host', 'an invalid URL'],
    ['http://u:12?ss@host', 'an invalid URL'],
    ['http://u:12#ss@host', 'an invalid URL'],
    ['u:pass@host:4222', 'an invalid URL'],
  ])('removes those of %s', (url, expected) => {
    expect(withoutCredentials(url)).toBe(expected);
  });
});

describe('listWithoutCredentials', () => {
  it.each([
    ['nats://one:secret@a:4222, tls://token@b:4222', 'nats://a:4222, tls://b:4222'],
    ['nats://u:pa,ss@a:4222,nats://b:4222', 'nats://a:4222, nats://b:4222'],
    ['nats://u:p/ss@a:4222,nats://b:4222', 'an invalid URL, nats://b:4222'],
  ])('removes those of %s', (urls, expected) => {
    expect(listWithoutCredentials(urls)).toBe(expected);
  });
});

describe('describeError', () => {
  it('names each address of a failed connection once, and the cause', () => {
    const refused = new Error('connect ECONNREFUSED');
    expect(describeError(new AggregateError([refused, refused]))).toBe('connect ECONNREFUSED');
    const failed = new Error('fetch failed', { cause: refused });
    expect(describeError(failed)).toBe('fetch failed (connect ECONNREFUSED)');
  });
});
