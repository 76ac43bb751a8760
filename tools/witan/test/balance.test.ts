import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runWitan } from './run-witan.ts';

const BALANCE = { available: 900, held: 100, posted: 1_000, unit: 'tokens', metering: 'metered' };
const API_KEY = 'sk_live_of_the_test';

const openApi = async (): Promise<{ server: Server; baseUrl: string }> => {
  const server = createServer((request, response) => {
    const isKnown = request.headers['x-api-key'] === API_KEY;
    const isBalancePath = request.url === '/v1/ledger/balance';
    const error = { message: isKnown ? 'There is no such path.' : 'No valid API key.' };
    response.statusCode = isKnown ? (isBalancePath ? 200 : 404) : 401;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(response.statusCode === 200 ? { balance: BALANCE } : { error }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

describe('witan balance', () => {
  let api: Awaited<ReturnType<typeof openApi>>;
  let home: string;
  beforeAll(async () => {
    api = await openApi();
  });
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'witan-home-'));
  });
  afterEach(() => rm(home, { recursive: true }));
  afterAll(async () => {
    await new Promise((resolve) => {
      api.server.close(resolve);
    });
  });

  const writeSystem = (system: object): Promise<void> =>
    writeFile(join(home, 'system.json'), JSON.stringify(system));

  it('prints the balance of the system in WITAN_HOME', async () => {
    await writeSystem({ baseUrl: api.baseUrl, apiKey: API_KEY });
    expect(await runWitan(['balance'], { WITAN_HOME: home })).toEqual({
      code: 0,
      stdout: [
        'available  900 tokens',
        'held       100 tokens',
        'posted     1000 tokens',
        'metering   metered',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  it('prefers the API in the environment and prints JSON', async () => {
    await writeSystem({ baseUrl: 'http://127.0.0.1:1', apiKey: 'other' });
    const env = { WITAN_HOME: home, WITAN_BASE_URL: `${api.baseUrl}/`, WITAN_API_KEY: API_KEY };
    const { code, stdout } = await runWitan(['balance', '--json'], env);
    expect([code, JSON.parse(stdout)]).toEqual([0, { balance: BALANCE }]);
  });

  it('does not use the `system.json` of a system that was killed', async () => {
    await writeSystem({ baseUrl: api.baseUrl, apiKey: API_KEY });
    const owner = { pid: process.pid, identity: 'an earlier process' };
    await writeFile(join(home, 'owner.json'), JSON.stringify(owner));
    const { code, stderr } = await runWitan(['balance'], { WITAN_HOME: home });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`No system runs in ${home}`)]);
  });

  it('explains what to do if no system runs', async () => {
    const { code, stdout, stderr } = await runWitan(['balance'], { WITAN_HOME: home });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `No system runs in ${home}: start one with npm start, ` +
        'or set WITAN_BASE_URL and WITAN_API_KEY.\n',
    );
  });

  it('reports that the system in WITAN_HOME no longer responds', async () => {
    await writeSystem({ baseUrl: 'http://127.0.0.1:1', apiKey: API_KEY });
    const { code, stderr } = await runWitan(['balance'], { WITAN_HOME: home });
    expect([code, stderr]).toEqual([
      1,
      'Nothing answers at http://127.0.0.1:1: is the system running?\n',
    ]);
  });

  it('prints the error message of the API', async () => {
    await writeSystem({ baseUrl: api.baseUrl, apiKey: 'wrong' });
    const { code, stderr } = await runWitan(['balance'], { WITAN_HOME: home });
    expect([code, stderr]).toEqual([1, expect.stringContaining('401')]);
    expect(stderr).toContain('No valid API key.');
  });

  it.each([
    ['an API URL without a key', [], { WITAN_API_KEY: API_KEY }, 1],
    ['an unknown option', ['--all'], {}, 2],
  ])('refuses %s', async (_name, argv, env, expected) => {
    const { code, stdout } = await runWitan(['balance', ...argv], { WITAN_HOME: home, ...env });
    expect([code, stdout]).toEqual([expected, '']);
  });
});
