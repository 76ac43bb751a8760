import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createCurrentSite } from '../src/console/read-site.ts';
import { serveConsole } from '../src/console/serve-console.ts';
import { openRoutes } from './open-routes.ts';
import type { OpenRoutes } from './open-routes.ts';

const PAGE = '<!doctype html><script type="module" src="/console/assets/main-1.js"></script>';
const SCRIPT = 'export {};';

describe('the console', () => {
  let folder: string;
  let routes: OpenRoutes;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'witan-site-'));
    const currentSite = createCurrentSite(join(folder, 'site'));
    routes = await openRoutes([], { console: serveConsole(currentSite) });
  });
  afterEach(async () => {
    await routes[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const build = async (page = PAGE): Promise<void> => {
    await mkdir(join(folder, 'site/assets'), { recursive: true });
    await writeFile(join(folder, 'secret.txt'), 'secret');
    await writeFile(join(folder, 'site/index.html'), page);
    await writeFile(join(folder, 'site/assets/main-1.js'), SCRIPT);
    await writeFile(join(folder, 'site/assets/main-1.js.br'), 'compressed');
  };

  /** Sends a path as it is, which `fetch` would normalize. */
  const sendRaw = async (path: string): Promise<{ status: number; text: string }> => {
    const sent = request(routes.url, { path, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [
      AsyncIterable<Buffer> & { statusCode: number },
    ];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return { status: response.statusCode, text: Buffer.concat(chunks).toString() };
  };

  it('serves its page for every path that is no file, with a policy without inline code', async () => {
    await build();
    for (const path of ['/console/', '/console/calls/pf_1', '/console/models/gpt-4.1']) {
      const response = await routes.send(path);
      expect([path, response.status, await response.text()]).toEqual([path, 200, PAGE]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      });
      const policy = response.headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).not.toContain('unsafe');
    }
  });

  it('lets browsers store files for a year, since their names change with their content', async () => {
    await build();
    const headers = { 'accept-encoding': 'identity' };
    const response = await routes.send('/console/assets/main-1.js', { headers });
    expect(await response.text()).toBe(SCRIPT);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const etag = response.headers.get('etag')!;
    const again = await routes.send('/console/assets/main-1.js', {
      headers: { 'if-none-match': etag },
    });
    expect(again.status).toBe(304);
  });

  it('sends the compressed copy to clients that accept it', async () => {
    await build();
    const sent = request(`${routes.url}/console/assets/main-1.js`, {
      headers: { 'accept-encoding': 'gzip, br' },
      agent: false,
    }).end();
    const [response] = (await once(sent, 'response')) as [
      NodeJS.ReadableStream & { headers: Record<string, string> },
    ];
    response.resume();
    expect(response.headers).toMatchObject({
      'content-encoding': 'br',
      'content-length': String('compressed'.length),
      vary: 'accept-encoding',
    });
  });

  it.each([
    ['/console/assets/missing-2.js', 404],
    ['/console/assets/../../secret.txt', 404],
    ['/console/..%2fsecret.txt', 404],
    ['/console/assets/main-1.js.br', 404],
    ['/console/favicon.ico', 404],
  ])('answers %s with %d, and never with a file outside its folder', async (path, status) => {
    await build();
    const response = await sendRaw(path);
    expect(response.text).not.toBe('secret');
    expect(response.status).toBe(status);
  });

  it('redirects its bare path, refuses other methods, and says when it is not built', async () => {
    const missing = await routes.send('/console/');
    expect(missing.status).toBe(404);
    expect(await missing.text()).toContain('npm run console:build');
    await build();
    expect((await sendRaw('/console')).status).toBe(308);
    const refused = await routes.send('/console/', { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await routes.send('/console/')).status).toBe(200);
  });

  it('serves a new build at once, and the files of the build before to open pages', async () => {
    await build();
    expect(await (await routes.send('/console/')).text()).toBe(PAGE);
    await rm(join(folder, 'site'), { recursive: true });
    // Between two builds there is no folder.
    expect(await (await routes.send('/console/')).text()).toBe(PAGE);
    const page = PAGE.replace('main-1', 'main-2');
    await mkdir(join(folder, 'site/assets'), { recursive: true });
    await writeFile(join(folder, 'site/assets/main-2.js'), 'export const two = 2;');
    await writeFile(join(folder, 'site/index.html'), page);
    // Both requests find the new build; reading it twice would forget the files of the one before.
    const answers = await Promise.all([routes.send('/console/'), routes.send('/console/')]);
    expect(await Promise.all(answers.map((one) => one.text()))).toEqual([page, page]);
    expect(await (await routes.send('/console/assets/main-2.js')).text()).toContain('two');
    expect((await routes.send('/console/assets/main-1.js')).status).toBe(200);
  });

  it('is not served with inline code, which its policy would have to allow', async () => {
    await build('<script>run()</script>');
    expect((await routes.send('/console/')).status).toBe(500);
  });
});
