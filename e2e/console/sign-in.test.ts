import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHttpClient } from '../http-client.ts';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { OPEN_TIMEOUT_MS, openConsole } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = inBrowser(it);

describe(`signing in to the console${BROWSER_NOTE}`, () => {
  let opened: OpenConsole;

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    opened = await openConsole();
  }, OPEN_TIMEOUT_MS);
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
  });

  const createLink = async (): Promise<string> => {
    const { json } = await createHttpClient(opened.system).send('/v1/console/links', { body: {} });
    return (json as { link: { url: string } }).link.url;
  };

  itInBrowser('refuses a key that is not valid, and says so', async () => {
    await opened.open('/sign-in');
    await opened.fill('API key', 'sk_live_wrong');
    await opened.press('Sign in');
    await opened.awaitText('This key or link is not valid');
  });

  itInBrowser('works once by a link, whose token does not stay in the address', async () => {
    const url = await createLink();
    await opened.page.goto(url);
    await opened.awaitText('All agents of the workspace debate it');
    const address = await opened.page.read('location.href');
    expect(address).toBe(`${opened.system.baseUrl}/console/council`);
    await opened.press('Account');
    await opened.press('Sign out');
    await opened.awaitText('Sign in to Witan');
    await opened.page.goto('about:blank');
    await opened.page.goto(url);
    await opened.awaitText('This key or link is not valid');
  });

  itInBrowser(
    'returns to the page that was asked for, and keeps the key from scripts',
    async () => {
      await opened.open('/settings/appearance');
      await opened.fill('API key', opened.system.apiKey);
      await opened.press('Sign in');
      await opened.awaitText('This choice is stored in this browser only.');
      const stored = await opened.page.read<string>(
        'document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)',
      );
      expect(stored).not.toContain('sk_live_');
      expect(stored).not.toContain('witan_session');
    },
  );

  itInBrowser('shows only the sections that the key may use', async () => {
    const body = { name: 'reader', scopes: ['webhooks:read'] };
    const { json } = await createHttpClient(opened.system).send('/v1/api-keys', { body });
    await opened.press('Account');
    await opened.press('Sign out');
    await opened.awaitText('Sign in to Witan');
    await opened.signIn((json as { key: string }).key);
    const links = await opened.page.read<string[]>(
      `[...document.querySelectorAll('nav a')].map((one) => one.innerText.trim())`,
    );
    expect(links).not.toContain('Council');
    expect(links).not.toContain('Calls');
    expect(links).not.toContain('API keys');
    expect(links).toContain('Settings');
  });
});
