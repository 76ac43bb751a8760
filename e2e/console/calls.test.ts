import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHttpClient } from '../http-client.ts';
import { BROWSER_MISSING } from '../open-browser.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = BROWSER_MISSING === undefined ? it : it.skip;
const skipNote = BROWSER_MISSING === undefined ? '' : ` (${BROWSER_MISSING})`;

const BODY = {
  model: 'service-auto',
  messages: [{ role: 'user', content: 'Write to anna@example.com about Zoë.' }],
};

describe(`calls in the console${skipNote}`, () => {
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
    opened.expectQuiet();
  });
});
