import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openScriptedProvider } from '@witan/testing';
import { createHttpClient } from '../http-client.ts';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { createScriptedCouncil } from '../scripted-council.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';
import { createShopDebate, ISSUES, NAMES } from './shop-council.ts';

const itInBrowser = inBrowser(it);

/** Height of a screenshot that shows a whole debate, in pixels. */
const TALL = 2_600;

/**
 * Records the `Last-Event-ID` of each connection to a debate in `window.resumedFrom`, and makes
 * `window.cut()` break the newest connection, as a network that fails does.
 */
const WATCH_CONNECTIONS = `(() => {
  const send = window.fetch;
  window.resumedFrom = [];
  window.fetch = async (address, init) => {
    if (!String(address).endsWith('/events')) return await send(address, init);
    window.resumedFrom.push(init.headers['last-event-id'] ?? null);
    const response = await send(address, init);
    let cut;
    const body = new ReadableStream({
      start: async (controller) => {
        cut = () => controller.error(new TypeError('network error'));
        try {
          for await (const chunk of response.body) controller.enqueue(chunk);
          controller.close();
        } catch {}
      },
    });
    window.cut = cut;
    return new Response(body, { headers: response.headers });
  };
})()`;

describe(`the council in the console${BROWSER_NOTE}`, () => {
  let opened: OpenConsole;
  let provider: Awaited<ReturnType<typeof openScriptedProvider>>;
  /** Hold back the first and the second answer of one agent. */
  const holds = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    const debate = createShopDebate(async (name, number) => {
      if (name === 'Product') await holds[number - 1]?.promise;
    });
    provider = await openScriptedProvider({ fallback: createScriptedCouncil(() => debate).script });
    const env = { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: 'sk-scripted' };
    opened = await openConsole({ env });
    await opened.signIn();
  }, OPEN_TIMEOUT_MS);
  afterAll(async () => {
    for (const { resolve } of holds) resolve();
    await provider?.[Symbol.asyncDispose]();
    await opened?.[Symbol.asyncDispose]();
  });

  const ask = async (): Promise<void> => {
    await opened.open('/council');
    await opened.page.read(WATCH_CONNECTIONS);
    await opened.fill('Your question', 'Should we open a second shop this year?');
    await opened.press('Ask the council');
  };

  itInBrowser('says what to do without agents, and leaves no empty conversation', async () => {
    await ask();
    await opened.awaitText('Create at least two agents, then ask again.');
    await opened.open('/council');
    await opened.awaitText('No conversations yet');
    await opened.takeScreenshots('council-empty');
    // Browsers log the refused call as an error.
    opened.page.log.warnings.length = 0;
  });

  itInBrowser('shows a debate as it happens', async () => {
    const client = createHttpClient(opened.system);
    for (const name of NAMES) {
      const body = { name, systemPrompt: `The persona of ${name}.`, model: 'gpt-test' };
      expect((await client.send('/v1/agents', { body })).status).toBe(201);
    }
    await ask();
    for (const { proposition } of ISSUES) await opened.awaitText(proposition);
    await opened.awaitText('The forty lost orders are a guess from three busy weeks');
    await opened.awaitText('Round 1: 4 of 5 agents are done');
    holds[0].resolve();
    await opened.awaitText('If we start hiring now, the team is ready');
    await opened.awaitText('Round 2: 4 of 5 agents are done');
    await opened.takeScreenshots('council-live', TALL);
    await opened.page.setViewport({ width: 1280, height: 900, theme: 'light' });
  });

  itInBrowser('shows the same debate after a reload', async () => {
    const address = await opened.page.read<string>('location.href');
    expect(address).toMatch(/\/console\/council\/cnv_\w+$/);
    await opened.page.goto(address);
    await opened.awaitText('Round 2: 4 of 5 agents are done');
    await opened.awaitText('The forty lost orders are a guess from three busy weeks');
  });

  itInBrowser('continues after the last event when its connection breaks, to its end', async () => {
    await opened.press('New question');
    // The list of conversations is on both pages, so the press below must not meet the old one.
    await opened.awaitText('Your question');
    await opened.page.read(WATCH_CONNECTIONS);
    await opened.click('nav[aria-label="Conversations"] a');
    await opened.awaitText('Round 2: 4 of 5 agents are done');
    await opened.page.read('window.cut()');
    const resumedFrom = await eventually(async () => {
      const ids = await opened.page.read<(string | null)[]>('window.resumedFrom');
      return ids.length > 1 && ids;
    }, 'a second connection');
    expect(resumedFrom).toEqual([null, expect.stringMatching(/^dbt_\w+:[1-9]\d*$/)]);
    holds[1].resolve();
    await opened.awaitText('The council has answered');
    await opened.awaitText('Two conditions carried it: the lease has a break clause');
  });

  itInBrowser('names votes, dissent, changed minds and who is absent', async () => {
    const text = await opened.page.read<string>('document.body.innerText');
    expect(text).toContain('Dissent');
    expect(text).toContain(
      'A break clause limits the rent, not the absence of our two best people.',
    );
    expect(text).toContain('Changed its mind');
    expect(text).toContain('The break clause halves what we can lose.');
    const [verdicts, synthesis, board, first] = [
      'Verdicts',
      'Synthesis',
      'Where they stand',
      'Round 1',
    ].map((title) => text.indexOf(`\n${title}\n`));
    expect([verdicts, synthesis, board, first]).toEqual(
      [verdicts, synthesis, board, first].toSorted((one, other) => one! - other!),
    );
    expect(verdicts).toBeGreaterThan(0);
    expect(text).toMatch(/Agreement \d+%, where 85% counts as agreed and 60% is chance/);
    expect(text).toMatch(/Absent: Craft \(its model could not be reached\)/);
    const votes = await opened.page.read<string>(
      `document.querySelector('[aria-label="Votes"] tbody tr').innerText`,
    );
    for (const name of ['Finance', 'Growth', 'Product', 'Sceptic']) expect(votes).toContain(name);
    const chart = await opened.page.read<string>(
      `document.querySelector('figure[aria-label^=Convergence] table').textContent`,
    );
    expect(chart).toMatch(/Round 1\d+%85%60%Round 2\d+%85%60%Round 3\d+%85%60%/);
  });

  itInBrowser('is accessible in both themes, fits every width, and stays here', async () => {
    for (const theme of THEMES) await opened.expectAccessible(theme);
    expect(await opened.findOverflows()).toEqual([]);
    for (const width of [390, 1280]) expect(await opened.findClipped(width)).toEqual([]);
    await opened.takeScreenshots('council', TALL);
    await opened.page.setViewport({ width: 1280, height: 900, theme: 'light' });
    opened.expectQuiet();
  });

  itInBrowser('links each message to its certificate', async () => {
    await opened.press('Proof 1 of Sceptic in round 2');
    await opened.awaitText('What left for the provider');
    expect(await opened.page.read('location.pathname')).toMatch(/^\/console\/calls\/pf_/);
  });
});
