import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHttpClient } from '../http-client.ts';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = inBrowser(it);

const BODY = {
  model: 'service-auto',
  messages: [{ role: 'user', content: 'Write to anna@example.com about Zoë.' }],
};

/** Makes the pages of the chain wait for ever, as a server that hangs does. */
const HANG = `(() => {
  const send = window.fetch;
  window.fetch = (request) =>
    request.url.includes('fromIndex')
      ? new Promise((resolve, reject) => {
          request.signal.throwIfAborted();
          request.signal.addEventListener('abort', () => reject(request.signal.reason));
        })
      : send(request);
})()`;

/** Changes one member of the second certificate on its way to the page. */
const FORGE = `(() => {
  const send = window.fetch;
  window.fetch = async (request) => {
    const response = await send(request);
    if (!request.url.includes('fromIndex')) return response;
    const { proofs } = await response.json();
    proofs[1].payload.response.usage.totalTokens += 1;
    return new Response(JSON.stringify({ proofs }), { headers: response.headers });
  };
})()`;

describe(`calls in the console${BROWSER_NOTE}`, () => {
  let opened: OpenConsole;
  let request: string;
  let response: string;
  let proofId: string;

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    opened = await openConsole();
    const client = createHttpClient(opened.system);
    await client.send('/v1/chat/completions', { body: { ...BODY, model: 'gpt-4o-mini' } });
    const { text, headers } = await client.send('/v1/chat/completions', { body: BODY });
    request = JSON.stringify(BODY);
    response = text;
    proofId = headers.get('x-service-proof')!;
    await opened.signIn();
  }, OPEN_TIMEOUT_MS);
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
  });

  const verify = async (verdict: string): Promise<string> => {
    await opened.press('Verify');
    await opened.awaitText(verdict);
    return await opened.page.read(`document.querySelector('main [aria-live]').innerText`);
  };

  itInBrowser('are listed, and filtered by the address', async () => {
    await opened.open('/calls');
    await opened.awaitText('gpt-4o-mini');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    expect(await opened.findClipped(390)).toEqual([]);
    await opened.open('/calls?finishReason=error');
    await opened.awaitText('No call matches these filters');
    await opened.press('Remove all filters');
    await opened.awaitText('gpt-4o-mini');
    expect(await opened.page.read('location.search')).toBe('');
  });

  itInBrowser('are explained, and verified in the page with their bodies', async () => {
    await opened.open(`/calls/${proofId}`);
    await opened.awaitText('What left for the provider');
    await opened.fill('Request body', request);
    await opened.fill('Response body', response);
    const text = await verify('Valid: every check passed');
    for (const name of ['Form', 'Signature', 'Request body', 'Response body']) {
      expect(text).toContain(`${name}: passed`);
    }
    expect(text).toContain('Link to the certificate before: passed');
    for (const theme of THEMES) await opened.expectAccessible(theme);
  });

  itInBrowser('fail the check of a body with one changed letter', async () => {
    await opened.open(`/calls/${proofId}`);
    await opened.fill('Request body', request.replace('Zoë', 'Zoe'));
    const text = await verify('Not valid: Request body');
    expect(text).toContain('Signature: passed');
  });

  itInBrowser('fail by name the check of a certificate with one changed digit', async () => {
    await opened.open(`/calls/${proofId}`);
    await opened.press('Change the certificate and verify that');
    await opened.page.read(
      `[...document.querySelectorAll('label')].find((one) => one.innerText === 'Certificate')` +
        `.control.select()`,
    );
    const { json } = await createHttpClient(opened.system).send(`/v1/proofs/${proofId}`);
    const changed = structuredClone(json) as { payload: { chainIndex: number } };
    changed.payload.chainIndex += 1;
    await opened.page.type(JSON.stringify(changed));
    const text = await verify('Not valid: Hash of the content');
    expect(text).toContain('Form: passed');
  });

  itInBrowser('are verified as a chain, whole or in a stretch', async () => {
    await opened.open('/calls/chain');
    await opened.press('Verify the chain');
    await opened.awaitText('Valid: all 2 certificates passed every check');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    await opened.takeScreenshots('chain');
    await opened.open('/calls/chain?from=1&to=1');
    await opened.press('Verify the chain');
    await opened.awaitText('Valid: the certificate passed every check');
  });

  itInBrowser('name the first broken link of the chain', async () => {
    await opened.open('/calls/chain');
    await opened.page.read(FORGE);
    await opened.press('Verify the chain');
    await opened.awaitText('Not valid: the chain breaks at number 1');
    await opened.awaitText('Certificates before it that passed every check: 1.');
    await opened.press('Open number 1');
    await opened.awaitText('What left for the provider');
  });

  itInBrowser('can be left unverified: a check of the chain is cancelled', async () => {
    await opened.open('/calls/chain');
    await opened.page.read(HANG);
    await opened.press('Verify the chain');
    await opened.press('Cancel');
    await opened.awaitText('Cancelled before the end.');
    opened.expectQuiet();
  });
});
