import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { databaseVariable } from '../src/config.ts';
import { runWitan } from './run-witan.ts';

const SERVICES = ['ledger', 'llm-gateway', 'notifier', 'agents', 'simulation', 'api-gateway'];

jest.setTimeout(90_000);

describe('witan provision', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase([]);
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  it('reports everything that is wrong with the URLs and changes no role', async () => {
    const admin = new URL(database.adminUrl);
    const change = (user: string, password: string, path = admin.pathname): string => {
      const url = new URL(admin);
      Object.assign(url, { username: user, password, pathname: path });
      return url.href;
    };
    const wrong: Record<string, string> = {
      ledger: change('postgres', 'x'),
      notifier: change('witan_notifier', ''),
      agents: change('witan_agents', 'x', '/other'),
      simulation: 'no url',
    };
    const env = Object.fromEntries(
      Object.entries(wrong).map(([name, url]) => [databaseVariable(name), url]),
    );
    const { code, stderr } = await runWitan(['provision'], { ...env, DATABASE_URL: admin.href });
    expect(code).toBe(2);
    expect(stderr.match(/^ {2}- .*$/gm)).toHaveLength(SERVICES.length);
    for (const error of [
      'LEDGER_DATABASE_URL must have the user witan_ledger',
      'NOTIFIER_DATABASE_URL has no password',
      'AGENTS_DATABASE_URL must name the database of DATABASE_URL',
      'SIMULATION_DATABASE_URL is not a URL',
      'LLM_GATEWAY_DATABASE_URL is required',
    ]) {
      expect(stderr).toContain(error);
    }
  });

  it('waits for PostgreSQL and then fails with a sentence', async () => {
    const admin = new URL('postgres://postgres:x@127.0.0.1:1/witan');
    const urls = SERVICES.map((name): [string, string] => {
      const username = `witan_${name.replaceAll('-', '_')}`;
      return [databaseVariable(name), Object.assign(new URL(admin), { username }).href];
    });
    const env = { ...Object.fromEntries(urls), DATABASE_URL: admin.href };
    const { code, stderr } = await runWitan(['provision', '--wait', '1'], env);
    expect(code).toBe(1);
    expect(stderr).toContain('"event":"database_not_ready"');
    expect(stderr).toContain('PostgreSQL was not ready within 1 s: connect ECONNREFUSED');
  });
});
