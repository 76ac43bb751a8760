import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { runKeys } from '../src/commands/keys.ts';
import { UsageError } from '../src/usage.ts';
import { runWitan } from './run-witan.ts';
import type { CommandResult } from './run-witan.ts';

const KEY_ID = /^key_[0-9A-Za-z]{22}$/;
const KEY = /^sk_live_[0-9A-Za-z]{46}$/;
const FAR_FUTURE = '2099-12-31T00:00:00.000Z';

type CreatedKey = { id: string; key: string; scopes: string[]; expiresAt: string | null };
type ListedKey = { id: string; name: string; expiresAt: string | null; revokedAt: string | null };

jest.setTimeout(90_000);

describe('witan keys', () => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await openTestSystem();
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  const run = (...argv: string[]): Promise<CommandResult> =>
    runWitan(['keys', ...argv], { DATABASE_URL: system.databaseUrls['api-gateway']! });
  const runJson = async <T>(...argv: string[]): Promise<T> => {
    const { code, stdout, stderr } = await run(...argv, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as T;
  };
  const list = async (): Promise<Map<string, ListedKey>> => {
    const { apiKeys } = await runJson<{ apiKeys: ListedKey[] }>('list');
    return new Map(apiKeys.map((key) => [key.id, key]));
  };
  const statusOf = async (key: string): Promise<number> => {
    const headers = { 'x-api-key': key };
    return (await fetch(`${system.baseUrl}/v1/models`, { headers })).status;
  };

  it('creates a working key with a name, scopes and an expiry', async () => {
    const made = await runJson<CreatedKey>(
      ...['create', '--name', 'ci', '--scopes', 'gateway, ledger:read', '--expires', FAR_FUTURE],
    );
    expect(made).toEqual({
      id: expect.stringMatching(KEY_ID),
      key: expect.stringMatching(KEY),
      scopes: ['gateway', 'ledger:read'],
      expiresAt: FAR_FUTURE,
    });
    expect(await statusOf(made.key)).toBe(200);
    const { code, stdout } = await run('list');
    const line = stdout.split('\n').find((one) => one.startsWith(made.id));
    expect([code, line]).toEqual([0, expect.stringContaining(`in force until ${FAR_FUTURE}`)]);
    expect(line).toContain('ci');
    expect(stdout).not.toContain(made.key.slice(16));
  });

  it('rotates a key; the old one works for a day, or not at all with --immediately', async () => {
    const old = await runJson<CreatedKey>('create');
    const before = Date.now();
    const second = await runJson<CreatedKey>('rotate', old.id);
    expect(second).toMatchObject({ scopes: ['*'], expiresAt: null, replaces: old.id });
    expect(await statusOf(old.key)).toBe(200);
    const third = await runJson<CreatedKey>('rotate', second.id, '--immediately');
    expect([await statusOf(second.key), await statusOf(third.key)]).toEqual([401, 200]);
    const listed = await list();
    expect(Date.parse(listed.get(old.id)!.expiresAt!) - before).toBeGreaterThanOrEqual(86_400_000);
    expect(listed.get(second.id)!.revokedAt).not.toBeNull();
    const again = await run('rotate', second.id);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('revoked') });
  });

  it('revokes a key, and fails for an unknown one', async () => {
    const { id, key } = await runJson<CreatedKey>('create');
    expect(await runJson('revoke', id)).toEqual({ id, revoked: true });
    expect(await statusOf(key)).toBe(401);
    for (const action of ['revoke', 'rotate']) {
      const { code, stderr } = await run(action, 'key_0000000000000000000000');
      expect([code, stderr]).toEqual([1, expect.stringContaining('There is no key')]);
    }
  });

  it.each([
    ['no action', []],
    ['an unknown action', ['burn']],
    ['no id', ['rotate']],
    ['too many ids', ['revoke', 'key_1', 'key_2']],
    ['an unknown scope', ['create', '--scopes', 'kitchen']],
    ['an expiry in the past', ['create', '--expires', '2020-01-01T00:00:00Z']],
    ['an option of another action', ['list', '--immediately']],
    ['an unknown option', ['list', '--all']],
  ])('rejects invalid usage before opening anything: %s', async (_name, argv) => {
    await expect(runKeys(argv)).rejects.toBeInstanceOf(UsageError);
  });
});
