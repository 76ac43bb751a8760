import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runChecks } from '../src/doctor/run-checks.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witan-doctor-urls-'));
});
afterAll(() => rm(folder, { recursive: true }));

it.each([
  'http://ada:hidden@127.0.0.1:1',
  'http://127.0.0.1:1?key=hidden',
  'http://ada:12/hidden@127.0.0.1:1',
  'http://ada:hidden/12@127.0.0.1:1',
])('witan doctor prints no credentials of the API, the broker or a provider: %s', async (url) => {
  const api = { WITAN_BASE_URL: url, WITAN_API_KEY: 'sk-1' };
  const remote = await runChecks({ ...api, WITAN_HOME: join(folder, 'no-home') }, '24.0.0');
  expect(remote.title).toMatch(/^the API at /);
  const others = { NATS_URL: url.replace('http', 'nats'), LOCAL_BASE_URL: url, LOCAL_MODEL: 'm' };
  const local = await runChecks({ ...api, ...others, WITAN_HOME: folder }, '24.0.0');
  const failed = local.checks.filter(({ state }) => state === 'fail').map(({ name }) => name);
  expect(failed).toEqual(expect.arrayContaining(['api', 'broker']));
  expect(JSON.stringify([remote, local])).not.toMatch(/hidden|ada/);
});
