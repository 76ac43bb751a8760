import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHttpClient } from '../http-client.ts';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

/** The addresses of all pages that need no id, and a text that each shows when it is loaded. */
const PAGES = [
  ['/council', 'No conversations yet'],
  ['/agents', 'No agents yet'],
  ['/agents/new', 'Begin with an example'],
  ['/simulations', 'No simulations yet'],
  ['/simulations/new', 'As it stands at the start'],
  ['/market', 'No market analyses yet'],
  ['/market/new', 'Which market, where, for whom'],
  ['/calls', 'No calls yet'],
  ['/calls/chain', 'Verify in this browser'],
  ['/playground', 'messages[0].content'],
  ['/usage', 'No calls in these days'],
  ['/usage/entries', 'No entries yet'],
  ['/settings/keys', 'npm start'],
  ['/settings/webhooks', 'No webhooks yet'],
  ['/settings/tools', 'No tools yet'],
  ['/settings/mcp-servers', 'No MCP servers yet'],
  ['/settings/models', 'witan-offline offline, as the operator has configured it.'],
  ['/settings/privacy', 'Names of persons'],
  ['/settings/audit', 'Signed in to the console'],
  ['/settings/appearance', 'Like the system'],
  ['/nowhere', 'There is no page at this address'],
] as const;

const itInBrowser = inBrowser(it);

describe(`the pages of the console${BROWSER_NOTE}`, () => {
  let opened: OpenConsole;

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    opened = await openConsole();
  }, OPEN_TIMEOUT_MS);
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
  });

  itInBrowser('begin with an accessible sign-in', async () => {
    await opened.open('/');
    await opened.awaitText('Sign in to Witan');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    await opened.takeScreenshots('sign-in');
    await opened.signIn();
  });

  itInBrowser.each(PAGES)(
    '%s is accessible in both themes, and fits every width',
    async (path, text) => {
      await opened.open(path);
      await opened.awaitText(text);
      for (const theme of THEMES) await opened.expectAccessible(theme);
      expect(await opened.findOverflows()).toEqual([]);
      await opened.takeScreenshots(path.slice(1).replaceAll('/', '-'));
    },
  );

  itInBrowser('say that no model is configured, and what to set, until there is one', async () => {
    await opened.open('/council');
    await opened.awaitText('No model is configured.');
    await opened.awaitText('OPENAI_API_KEY');
    const providers = [{ name: 'openai', dialect: 'chat-completions', apiKey: 'sk-own' }];
    const client = createHttpClient(opened.system);
    const put = { method: 'PUT', body: { providers } };
    expect((await client.send('/v1/workspace/providers', put)).status).toBe(200);
    await opened.open('/council');
    await opened.awaitGone('aside[aria-label="No model is configured"]');
  });

  itInBrowser('request nothing from another origin, and log no error', () => {
    opened.expectQuiet();
  });
});
