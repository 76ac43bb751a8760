import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import { createHttpClient } from '../http-client.ts';
import type { HttpClient } from '../http-client.ts';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { LIST_PATH } from '../open-simulations.ts';
import type { Simulation } from '../open-simulations.ts';
import { createScriptedCouncil } from '../scripted-council.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = inBrowser(it);

const AGENTS = ['Craft', 'Growth', 'Thrift'];
const LEVERS = {
  Craft: { priceChange: 2, rdPct: 8 },
  Growth: { priceChange: 3, marketingPct: 14 },
  Thrift: { priceChange: 1, marketingPct: 8 },
};
const TURN_TIMEOUT_MS = 60_000;

/** Folder to write screenshots to; if empty, none are written. */
const { WITAN_SCREENSHOTS = '' } = process.env;

describe(`simulations in the console${BROWSER_NOTE}`, () => {
  let provider: ScriptedProvider;
  let opened: OpenConsole;
  let client: HttpClient;
  let path: string;
  /** Resolves when the agents may answer. */
  let answering: Promise<void> = Promise.resolve();

  const council = createScriptedCouncil(() => ({
    issues: [],
    answerOf: (name) =>
      name
        ? { stances: { i1: 0.5, i2: -0.5, i3: 0.5 }, levers: LEVERS[name as keyof typeof LEVERS] }
        : 'The company held on.',
  }));

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    const script: typeof council.script = async (exchange) => {
      await answering;
      await council.script(exchange);
    };
    provider = await openScriptedProvider({ fallback: script });
    const env = { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: 'sk-provider' };
    opened = await openConsole({ env });
    client = createHttpClient(opened.system);
    for (const name of AGENTS) {
      const body = { name, systemPrompt: `The persona of ${name}.`, model: 'gpt-test' };
      expect((await client.send('/v1/agents', { body })).status).toBe(201);
    }
    await opened.signIn();
  }, OPEN_TIMEOUT_MS);
  afterAll(async () => {
    await provider?.[Symbol.asyncDispose]();
    await opened?.[Symbol.asyncDispose]();
  });

  const read = async (): Promise<Simulation> => {
    const { json } = await client.send(`${LIST_PATH}/${path.split('/').at(-1)!}`);
    return (json as { simulation: Simulation }).simulation;
  };

  const addScenario = async (name: string, growth: string): Promise<void> => {
    await opened.press('Add a scenario');
    await opened.awaitText('The world, from the next turn on');
    await opened.fill('Name', name);
    if (growth !== '') await opened.fill('GDP growth', growth);
    await opened.press('Add the scenario');
    await opened.awaitText(`${name}\n`);
    await opened.awaitGone('[role=dialog]');
  };

  /** Counts the streams of turns that their client closed. */
  const countAborted = (): number =>
    opened.system.logLines.filter(
      (line) => line.includes('"response_aborted"') && line.includes('/advance"'),
    ).length;

  const play = async (turn: number): Promise<void> => {
    await opened.press(`Play turn ${turn}`);
    await opened.awaitText(`The simulation is at turn ${turn}`);
  };

  /** Resolves when the page has this many plots in which something is drawn. */
  const awaitDrawn = async (figures: number): Promise<void> => {
    await eventually(
      () =>
        opened.page.read<boolean>(
          `[...document.querySelectorAll('.uplot canvas')].filter((one) => one.getContext('2d')` +
            `.getImageData(0, 0, one.width, one.height).data.some((part) => part > 0))` +
            `.length === ${figures}`,
        ),
      `${figures} drawn charts`,
    );
  };

  itInBrowser('are created by a form, which names what is missing', async () => {
    await opened.open('/simulations');
    await opened.press('New simulation');
    await opened.press('Create the simulation');
    await opened.awaitText('Give the simulation a name.');
    await opened.fill('Name', 'North');
    await opened.fill('Revenue', '2400000');
    await opened.fill('Cash', '1500000');
    await opened.fill('Employees', '24');
    await opened.fill('Burn', '60000');
    await opened.fill('Currency', 'EUR');
    await opened.fill('Seed', '7');
    await opened.press('Create the simulation');
    await opened.awaitText('There is none yet.');
    path = (await opened.page.read<string>('location.pathname')).replace('/console', '');
    expect(await read()).toMatchObject({
      name: 'North',
      seed: 7,
      companyBase: { sector: 'saas', revenue: 2_400_000, burn: 60_000, currency: 'EUR' },
    });
  });

  itInBrowser(
    'have scenarios side by side, and are played by their agents',
    async () => {
      await addScenario('Calm', '');
      await addScenario('Recession', '-3');
      for (const turn of [1, 2]) await play(turn);
      const { scenarios, states } = await read();
      expect(scenarios).toMatchObject([
        { name: 'Calm', parameters: {} },
        { name: 'Recession', parameters: { gdpGrowth: -3 } },
      ]);
      expect([states.length, states[0]!.decisions.levers['priceChange']]).toEqual([4, 2]);
      await opened.awaitText('Who proposed what, and why');
      await opened.awaitText('This is the content of Thrift.');
      await opened.awaitText('60% by chance');
    },
    TURN_TIMEOUT_MS,
  );

  itInBrowser(
    'complete a turn after the page was left',
    async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      answering = promise;
      await opened.press('Play turn 3');
      await opened.awaitText('The agents decide');
      await opened.awaitText('You can leave this page');
      const before = countAborted();
      await opened.page.goto('about:blank');
      // From here on, the turn needs the call that the page made when it was left.
      await eventually(() => countAborted() > before, 'the end of the stream');
      resolve();
      await eventually(async () => (await read()).currentTurn === 3, 'the third turn');
      await opened.open(path);
      await opened.awaitText('Turn 4');
      expect((await read()).states).toHaveLength(6);
    },
    TURN_TIMEOUT_MS,
  );

  itInBrowser('show history and forecast as charts with their numbers', async () => {
    await opened.awaitText('runs become insolvent within the next 8 quarters');
    await awaitDrawn(6);
    for (const width of [390, 1280]) expect(await opened.findClipped(width)).toEqual([]);
    await opened.press('Numbers of Revenue');
    const cells = await opened.page.read<string[]>(
      `[...document.querySelectorAll('figure[aria-label^=Revenue] table')][0].innerText.split('\\n')`,
    );
    expect(cells).toHaveLength(5);
    expect(cells[1]).toContain('2.4M');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    expect(await opened.findOverflows()).toEqual([]);
    await opened.takeScreenshots('simulation', 3_600);
  });

  itInBrowser('pause a scenario, and replay with the same hashes', async () => {
    await opened.press('Pause Recession');
    await opened.awaitText('Paused');
    expect((await read()).scenarios.map(({ isActive }) => isActive)).toEqual([true, false]);
    await opened.press('Replay');
    await opened.awaitText('Matches: ');
  });

  itInBrowser('are finished with a report, which prints on paper', async () => {
    await opened.press('Finish');
    await opened.press('Finish and write the report');
    await opened.awaitText('Report: North');
    await opened.awaitText('Key decisions');
    await opened.awaitText('Figures behind the text');
    const { json } = await client.send(`${LIST_PATH}/${path.split('/').at(-1)!}/report`);
    const { summary } = (json as { report: { summary: string } }).report;
    await opened.awaitText(summary.split('\n')[0]!);
    await awaitDrawn(3);
    // React Aria announces that a button is pending, for some seconds after the button is gone.
    await opened.awaitGone('[data-live-announcer] [role=img]');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    expect(await opened.findOverflows()).toEqual([]);
    await opened.takeScreenshots('simulation-report', 2_400);
    const pdf = await opened.page.pdf();
    if (WITAN_SCREENSHOTS !== '') await writeFile(join(WITAN_SCREENSHOTS, 'report.pdf'), pdf);
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)!.length).toBeLessThanOrEqual(5);
    await opened.open('/simulations');
    await opened.awaitText('North');
    await opened.takeScreenshots('simulations');
    opened.expectQuiet();
  });
});
