import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BUNDLE_CHECKS } from '@witan/proof';
import { createHttpClient, PING } from '../http-client.ts';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { openWitnesses } from '../open-witnesses.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = inBrowser(it);

/** Changes the response of one path on its way to the page. */
const change = (path: string, from: string, to: string): string => `(() => {
  const send = window.fetch;
  window.fetch = async (request) => {
    const response = await send(request);
    if (!request.url.endsWith(${JSON.stringify(path)})) return response;
    const text = await response.text();
    return new Response(text.replaceAll(${JSON.stringify(from)}, ${JSON.stringify(to)}), response);
  };
})()`;

describe(`the transparency log in the console${BROWSER_NOTE}`, () => {
  const resources = new AsyncDisposableStack();
  let witnessed: OpenConsole;
  let unwitnessed: OpenConsole;

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    const folder = await mkdtemp(join(tmpdir(), 'witan-console-log-'));
    resources.defer(() => rm(folder, { recursive: true }));
    const { env } = resources.use(await openWitnesses(folder, 'log.witan.test/console'));
    witnessed = resources.use(await openConsole({ env }));
    unwitnessed = resources.use(await openConsole({ env: { WITAN_LOG_INTERVAL_MS: '200' } }));
    for (const opened of [witnessed, unwitnessed]) await opened.signIn();
  }, OPEN_TIMEOUT_MS);
  afterAll(() => resources.disposeAsync());

  /** Makes a call, waits until it is published, and opens its page from the list of calls. */
  const openCall = async (opened: OpenConsole, script = ''): Promise<string> => {
    const client = createHttpClient(opened.system);
    const { headers } = await client.complete(PING);
    const id = headers.get('x-service-proof')!;
    const prefer = { authorization: `Bearer ${opened.system.apiKey}`, prefer: 'wait=20' };
    const { status } = await client.send(`/v1/proofs/${id}/bundle`, { headers: prefer });
    expect(status).toBe(200);
    await opened.open('/calls');
    await opened.page.read(script);
    await opened.click(`tbody a[href$="${id}"]`);
    await opened.awaitText('Where this certificate is in the transparency log');
    return id;
  };

  itInBrowser('says of a certificate who has witnessed it, and verifies its bundle', async () => {
    const id = await openCall(witnessed);
    await witnessed.awaitText(`Valid: certificate ${id} existed at 20`);
    for (const name of BUNDLE_CHECKS) await witnessed.awaitText(`${name}: ok`);
    for (const name of ['w0', 'w1', 'w2']) await witnessed.awaitText(`${name} at 20`);
    for (const theme of THEMES) await witnessed.expectAccessible(theme);
    expect(await witnessed.findOverflows()).toEqual([]);
    await witnessed.takeScreenshots('log', 1_900);
    witnessed.expectQuiet();
  });

  itInBrowser('gives the bundle as a file, as the gateway has it', async () => {
    const id = await openCall(witnessed);
    await witnessed.awaitText('Save the bundle');
    const link = await witnessed.page.read<string>(
      `document.querySelector('a[download="bundle.json"]').href`,
    );
    const { text } = await createHttpClient(witnessed.system).send(`/v1/proofs/${id}/bundle`);
    expect(decodeURIComponent(link.slice(link.indexOf(',') + 1))).toBe(text);
  });

  itInBrowser("does not show a workspace's tile to another key in the same browser", async () => {
    await openCall(witnessed);
    const { apiKey } = unwitnessed.system;
    // The key of another system is unknown here.
    const statuses = await witnessed.page.read<number[]>(`(async () => {
      const keys = ${JSON.stringify([witnessed.system.apiKey, apiKey])};
      const statuses = [];
      for (const key of keys) {
        const headers = { authorization: 'Bearer ' + key };
        const response = await fetch('/v1/proofs/tree/tile/0/000.p/1', { headers });
        await response.arrayBuffer();
        statuses.push(response.status);
      }
      return statuses;
    })()`);
    expect(statuses).toEqual([200, 401]);
  });

  itInBrowser('names the check that a changed bundle fails', async () => {
    await openCall(witnessed, change('/bundle', '"workspaceId":"ws_', '"workspaceId":"ws_0'));
    await witnessed.awaitText('Invalid');
    await witnessed.awaitText('tree: failed');
    await witnessed.awaitText('epoch: not checked');
  });

  itInBrowser('refuses a bundle of a log that the policy does not name', async () => {
    await openCall(witnessed, change('/v1/log', 'witan.test/console+', 'witan.test/others+'));
    await witnessed.awaitText('The policy cannot be used');
  });

  itInBrowser('says that a log without witnesses is not witnessed', async () => {
    const id = await openCall(unwitnessed);
    await unwitnessed.awaitText(`Valid, but not witnessed: certificate ${id}`);
    await unwitnessed.awaitText('witnesses: not checked');
    await unwitnessed.awaitText('Not witnessed: the policy needs no witness');
    for (const theme of THEMES) await unwitnessed.expectAccessible(theme);
    await unwitnessed.takeScreenshots('log-not-witnessed', 1_900);
    unwitnessed.expectQuiet();
  });
});
