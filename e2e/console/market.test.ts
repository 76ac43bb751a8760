import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerWith, createGate, failWith, openScriptedProvider } from '@witan/testing';
import type { Gate, Script, ScriptedProvider } from '@witan/testing';
import { createHttpClient } from '../http-client.ts';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = inBrowser(it);

const TALL = 2_400;
const QUESTION = 'Craft bread in Lyon, for a bakery with two shops. We compete with Paul.';
const QUESTION_FIELD = 'Which market, where, for whom';

const ANALYSIS = {
  marketSize: {
    description: 'Bread and viennoiserie sold by bakeries in Greater Lyon.',
    value: 310_000_000,
    unit: 'revenue per year',
    currency: 'EUR',
    year: 2024,
    region: 'Greater Lyon',
    cagrPct: 1.8,
    low: 240_000_000,
    high: 400_000_000,
    method: 'top_down',
    confidence: 0.9,
    tam: 310_000_000,
    sam: 90_000_000,
    som: 3_000_000,
  },
  trends: [
    'Sourdough and old grains grow while the plain baguette shrinks.',
    'Customers order ahead and collect, above all on weekends.',
  ],
  competitors: [
    {
      name: 'Paul',
      description: 'A chain with baked-off bread in the best places.',
      positioning: 'Convenient, everywhere, middle price',
      strengths: ['Locations', 'Opening hours'],
      weaknesses: ['Taste', 'No craft'],
      estimatedSharePct: 6,
      pricing: 'Baguette about 1.20',
      evidence: 'provided',
      confidence: 0.5,
    },
    {
      name: 'Maison Example',
      description: 'A craft bakery with five shops.',
      positioning: 'Organic sourdough',
      strengths: ['Quality'],
      weaknesses: ['Price'],
      estimatedSharePct: 1.5,
      pricing: null,
      evidence: 'model_knowledge',
      confidence: 0.2,
    },
  ],
  recommendations: [
    {
      title: 'Let customers order ahead',
      rationale: 'Queues on weekends turn away one customer in six.',
      priority: 'medium',
      effort: 'Low',
      impact: 'More sales on two days of the week',
      timeframe: 'Next quarter',
      risks: ['Waste if orders are not collected'],
      kpis: ['Orders collected', 'Length of the queue'],
    },
    {
      title: 'Count the demand north of the river',
      rationale: 'A third shop rests on it.',
      priority: 'high',
      effort: 'Two weeks',
      impact: null,
      timeframe: 'This month',
      risks: [],
      kpis: ['Visitors per hour'],
    },
  ],
  assumptions: ['Prices rise with general inflation.'],
};

const TEXT = JSON.stringify(ANALYSIS);
/** Behind the first competitor, so that what comes before it is shown while the rest is held. */
const CUT = TEXT.indexOf('"Maison');
/** The frame with the role, and the one with the first piece. */
const FRAMES_TO_CUT = 2;

describe(`market analyses in the console${BROWSER_NOTE}`, () => {
  let provider: ScriptedProvider;
  let opened: OpenConsole;
  let path: string;
  /** The model's answer to the next calls; a test replaces it. */
  let play: Script = answerWith({ content: TEXT });

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    provider = await openScriptedProvider({ fallback: (exchange) => play(exchange) });
    opened = await openConsole({
      env: {
        OPENAI_BASE_URL: provider.baseUrl,
        OPENAI_API_KEY: 'sk-scripted',
        WITAN_MODEL_FULL: 'gpt-full',
      },
    });
    await opened.signIn();
  }, OPEN_TIMEOUT_MS);
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
  });

  const playInParts = (): Gate => {
    const gate = createGate();
    play = answerWith({ content: [TEXT.slice(0, CUT), TEXT.slice(CUT)] }, { gate });
    return gate;
  };
  const expectGoodPage = async (name: string): Promise<void> => {
    // React Aria announces that a button is pending, for some seconds after the button is gone.
    await opened.awaitGone('[data-live-announcer] [role=img]');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    expect(await opened.findOverflows()).toEqual([]);
    await opened.takeScreenshots(name, TALL);
    await opened.page.setViewport({ width: 1280, height: 900, theme: 'light' });
  };
  const countStored = async (): Promise<number> => {
    const { json } = await createHttpClient(opened.system).send('/v1/market-analysis');
    return (json as { analyses: object[] }).analyses.length;
  };
  /** Returns whether the browser would ask before it leaves the page. */
  const asksBeforeLeaving = (): Promise<boolean> =>
    opened.page.read(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);

  itInBrowser('are shown as they are written, also after another page', async () => {
    await opened.open('/market');
    await opened.press('New analysis');
    await opened.press('Analyse the market');
    await opened.awaitText('Describe the market.');
    await opened.fill(QUESTION_FIELD, QUESTION);
    await opened.press('Comprehensive – at most 8, with the parts of the market');
    expect(await asksBeforeLeaving()).toBe(false);
    const gate = playInParts();
    await opened.press('Analyse the market');
    await opened.awaitText('Choosing a model…');
    gate.release(FRAMES_TO_CUT);
    await opened.awaitText('gpt-full is writing: Competitors…');
    await opened.awaitText('Sourdough and old grains grow');
    await opened.awaitText('Convenient, everywhere, middle price');
    expect(await asksBeforeLeaving()).toBe(true);
    await expectGoodPage('market-live');
    await opened.press('Market analyses');
    await opened.awaitText('An analysis is being written');
    await opened.press('Watch it');
    await opened.awaitText('Sourdough and old grains grow');
    gate.open();
    await opened.awaitText('What it rests on:');
    path = await opened.page.read<string>('location.pathname');
    expect(path).toMatch(/^\/console\/market\/mka_\w+$/);
    expect(await asksBeforeLeaving()).toBe(false);
  });

  itInBrowser('name figures, evidence and assumptions, and prove their text', async () => {
    await opened.open(path.replace('/console', ''));
    await opened.awaitText('€310M');
    const text = await opened.page.read<string>('document.body.innerText');
    // The model claimed 90 %; the system allows no more than half without a source.
    expect(text).toContain('Confidence 30 %');
    expect(text).toContain('You named it');
    expect(text).toContain('From the model’s memory');
    expect(text).toContain('Prices rise with general inflation.');
    const [first, second] = ['Count the demand', 'Let customers'].map((one) => text.indexOf(one));
    expect(first).toBeLessThan(second!);
    await expectGoodPage('market-analysis');
    await opened.press('Proof 1 of the analysis');
    await opened.awaitText('What left for the provider');
    expect(await opened.page.read('location.pathname')).toMatch(/^\/console\/calls\/pf_/);
  });

  itInBrowser('stop at a press of a button, keep the question, and store nothing', async () => {
    const gate = playInParts();
    await opened.open('/market/new');
    await opened.fill(QUESTION_FIELD, QUESTION);
    await opened.press('Analyse the market');
    gate.release(FRAMES_TO_CUT);
    await opened.awaitText('Sourdough and old grains grow');
    await opened.press('Stop');
    await opened.awaitText('You stopped the analysis.');
    gate.open();
    expect(await opened.page.read(`document.querySelector('textarea').value`)).toBe(QUESTION);
    expect(await countStored()).toBe(1);
  });

  itInBrowser('are listed', async () => {
    await opened.open('/market');
    await opened.awaitText(QUESTION);
    await opened.awaitText('Comprehensive');
    await expectGoodPage('market-list');
    opened.expectQuiet();
  });

  itInBrowser('say what failed, and keep the question', async () => {
    play = failWith(500);
    await opened.open('/market/new');
    await opened.fill(QUESTION_FIELD, QUESTION);
    await opened.press('Analyse the market');
    await opened.awaitText('The analysis ended before it was complete');
    expect(await opened.page.read(`document.querySelector('textarea').value`)).toBe(QUESTION);
    await opened.takeScreenshots('market-failed');
    expect(await countStored()).toBe(1);
  });
});
