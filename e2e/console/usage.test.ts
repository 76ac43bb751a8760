import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import { createHttpClient } from '../http-client.ts';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = inBrowser(it);

const CALLS = 3;

type Sums = { totalTokens: number; cost: { micros: number } | null };

describe(`usage in the console${BROWSER_NOTE}`, () => {
  let provider: ScriptedProvider;
  let opened: OpenConsole;
  let total: Sums;

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    provider = await openScriptedProvider();
    const env = { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: 'sk-provider' };
    opened = await openConsole({ env });
    const client = createHttpClient(opened.system);
    const messages = [{ role: 'user', content: 'ping' }];
    for (let call = 0; call < CALLS; call += 1) {
      expect((await client.complete({ model: 'gpt-5', messages })).status).toBe(200);
    }
    expect((await client.complete({ model: 'gpt-test', messages })).status).toBe(200);
    total = ((await client.send('/v1/usage')).json as { total: Sums }).total;
    await opened.signIn();
  }, OPEN_TIMEOUT_MS);
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
  });

  const readTable = (): Promise<string[][]> =>
    opened.page.read(
      `[...document.querySelectorAll('[role=grid] [role=row]')].slice(1)` +
        `.map((row) => [...row.children].map((cell) => cell.innerText))`,
    );

  itInBrowser('shows tokens and cost by model; no price is not 0', async () => {
    await opened.open('/usage');
    await opened.awaitText('By model');
    const rows = await readTable();
    expect(rows.map(([model, calls]) => [model, calls])).toEqual([
      ['gpt-5', String(CALLS)],
      ['gpt-test', '1'],
    ]);
    expect(rows[0]!.at(-1)).toMatch(/^\$0\.0/);
    expect(rows[1]!.at(-1)).toBe('no price');
    expect(total.cost!.micros).toBeGreaterThan(0);
    await opened.awaitText(new Intl.NumberFormat('en-US').format(total.totalTokens));
    await opened.awaitText('Without 1 of 4 calls, which have no price');
    await opened.awaitText('List prices of 2026-');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    expect(await opened.findOverflows()).toEqual([]);
    await opened.takeScreenshots('usage-filled', 1_600);
  });

  itInBrowser('groups by key, by its name, with the choice in the address', async () => {
    await opened.choose('Group by', 'key');
    await opened.awaitText('By API key');
    expect(await opened.page.read('location.search')).toBe('?by=key');
    expect((await readTable()).map(([name]) => name)).toEqual(['npm start']);
    await opened.press('npm start');
    await opened.awaitText('gpt-5');
    expect(await opened.page.read('location.pathname')).toBe('/console/calls');
  });

  itInBrowser('takes the days from a calendar into the address', async () => {
    await opened.open('/usage?from=2026-01-01&to=2026-01-31');
    await opened.awaitText('No calls in these days');
    await opened.press('Calendar');
    await opened.awaitText('January 2026');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    await opened.takeScreenshots('usage-calendar');
    for (const day of ['5', '9']) {
      await opened.page.read(
        `[...document.querySelectorAll('[role=gridcell] [role=button]')]` +
          `.find((one) => one.innerText === '${day}').setAttribute('data-day', '${day}')`,
      );
      await opened.click(`[data-day="${day}"]`);
    }
    await opened.awaitGone('[role=application]');
    expect(await opened.page.read('location.search')).toBe('?from=2026-01-05&to=2026-01-09');
  });

  itInBrowser('shows the entries of the account, each with its call', async () => {
    await opened.open('/usage');
    await opened.press('All entries');
    const countLinks = async (): Promise<number | undefined> =>
      (await opened.page.read<number>(`document.querySelectorAll('[role=row] a').length`)) ||
      undefined;
    const links = await eventually(countLinks, 'the entries');
    expect(links).toBe(CALLS + 1);
    for (const theme of THEMES) await opened.expectAccessible(theme);
    expect(await opened.findOverflows()).toEqual([]);
    await opened.takeScreenshots('usage-entries');
    opened.expectQuiet();
  });
});
