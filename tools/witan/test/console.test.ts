import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runWitan } from './run-witan.ts';

const LINK = { url: 'http://127.0.0.1:1/console/#token=t', expiresAt: '2030-01-01T00:00:00.000Z' };
const API_KEY = 'sk_live_of_the_test';

describe('witan console link', () => {
  let server: Server;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = createServer(({ method, url, headers }, response) => {
      const isKnown = headers['x-api-key'] === API_KEY;
      const isLinks = method === 'POST' && url === '/v1/console/links';
      response.statusCode = isKnown && isLinks ? 201 : 401;
      response.end(JSON.stringify(isKnown && isLinks ? { link: LINK } : { error: {} }));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    env = { WITAN_BASE_URL: `http://127.0.0.1:${port}`, WITAN_API_KEY: API_KEY };
  });
  afterAll(async () => {
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });

  it('prints the link, as JSON on request', async () => {
    const plain = await runWitan(['console', 'link'], env);
    expect(plain).toEqual({ code: 0, stdout: `${LINK.url}\n`, stderr: '' });
    const json = await runWitan(['console', 'link', '--json'], env);
    expect(JSON.parse(json.stdout)).toEqual({ link: LINK });
  });

  it('fails if the API refuses the key', async () => {
    const result = await runWitan(['console', 'link'], { ...env, WITAN_API_KEY: 'another' });
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining('401')]);
  });

  it.each([[[]], [['link', 'more']], [['open']]])('takes only link, not %j', async (argv) => {
    expect((await runWitan(['console', ...argv], env)).code).toBe(2);
  });
});
