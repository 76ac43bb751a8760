import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerWith, openScriptedProvider, openTestPostgres } from '@witan/testing';
import { createHttpClient } from '../http-client.ts';
import type { HttpClient } from '../http-client.ts';
import { createScriptedCouncil } from '../scripted-council.ts';
import { openConsole } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';
import { createShopDebate, NAMES } from './shop-council.ts';

const FOLDER = fileURLToPath(new URL('../../docs/console', import.meta.url));
/** The largest size of an image in the documentation, in bytes. */
const IMAGE_BYTES_MAX = 150_000;
const WIDTH = 1_280;

const SIMULATIONS = '/v1/sim-engine/simulations';
const COMPANY = {
  sector: 'saas',
  revenue: 2_400_000,
  employees: 24,
  burn: 60_000,
  cash: 1_500_000,
};
const LEVERS = [
  { priceChange: 2, rdPct: 8 },
  { priceChange: 3, marketingPct: 14 },
  { priceChange: 1, marketingPct: 8 },
];

/**
 * Runs `npm run console:screenshots`: writes the images of docs/console.md. A real system is driven
 * in headless Chromium; only the answers of its language models are scripted.
 */
const main = async (): Promise<void> => {
  await mkdir(FOLDER, { recursive: true });
  await using resources = new AsyncDisposableStack();
  const provider = resources.use(await openScriptedProvider({ fallback: createScript() }));
  const postgres = resources.use(await openTestPostgres());
  const env = { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: 'sk-scripted' };
  const opened = resources.use(await openConsole({ env, postgresUrl: postgres.url }));
  const client = createHttpClient(opened.system);
  const financeId = await createAgents(client);
  await opened.signIn();
  await takeCouncil(opened);
  await takeSimulation(opened, client);
  provider.script(answerWith({ content: CHAT_ANSWER }));
  await takeAgent(opened, financeId);
  provider.script(answerWith({ content: LETTER }));
  await takePlayground(opened);
  await takeCalls(opened);
  await takeUsage(opened);
  await takeKeys(opened);
};

const CHAT_ANSWER = [
  '<thinking>Nine months of cash, less the fit-out of four.</thinking>',
  'Wait until the first shop has paid back its fit-out, then sign with a break clause. ',
  'Until then we keep three months of costs in reserve.',
  '<MEMORY key="runway" type="fact">Nine months of cash</MEMORY>',
];
const LETTER = 'Dear Ingrid Solberg, your order ships on Friday. You can reach us at any time.';

/** Answers the debate about a second shop, and the decisions of a simulation. */
const createScript = () => {
  const debate = createShopDebate(async () => {});
  const { script } = createScriptedCouncil(() => ({
    ...debate,
    answerOf: (name, number) => {
      const answer = debate.answerOf(name, number);
      const levers = LEVERS[NAMES.indexOf(name) % LEVERS.length];
      const isAnswer = typeof answer === 'object' && 'stances' in answer;
      return isAnswer ? { ...answer, levers } : answer;
    },
  }));
  return script;
};

/** Creates the council and returns the id of its first agent. */
const createAgents = async (client: HttpClient): Promise<string> => {
  const ids: string[] = [];
  for (const name of NAMES) {
    const body = { name, systemPrompt: `The persona of ${name}.`, model: 'gpt-5' };
    const { agent } = (await post(client, '/v1/agents', body)) as { agent: { id: string } };
    ids.push(agent.id);
  }
  return ids[0]!;
};

const post = async (client: HttpClient, path: string, body: object): Promise<unknown> => {
  const { status, text, json } = await client.send(path, { body });
  if (status >= 300) throw new Error(`POST ${path} was answered with ${status}: ${text}`);
  return json;
};

const takeCouncil = async (opened: OpenConsole): Promise<void> => {
  await opened.open('/council');
  await opened.fill('Your question', 'Should we open a second shop this year?');
  await opened.press('Ask the council');
  await opened.awaitText('The council has answered');
  await take(opened, 'council', 1_250);
};

const takeSimulation = async (opened: OpenConsole, client: HttpClient): Promise<void> => {
  const settings = { name: 'Second shop', turnUnit: 'quarter', seed: 7, companyBase: COMPANY };
  const created = await post(client, SIMULATIONS, settings);
  const { id } = (created as { simulation: { id: string } }).simulation;
  for (const scenario of [
    { name: 'Calm', parameters: {} },
    { name: 'Recession', parameters: { gdpGrowth: -3 } },
  ]) {
    await post(client, `${SIMULATIONS}/${id}/scenarios`, scenario);
  }
  for (let turn = 0; turn < 3; turn += 1) {
    await post(client, `${SIMULATIONS}/${id}/advance`, {});
  }
  await opened.open(`/simulations/${id}`);
  await opened.awaitText('runs become insolvent within the next 8 quarters');
  await take(opened, 'simulation', 1_250);
};

const takePlayground = async (opened: OpenConsole): Promise<void> => {
  await opened.open('/playground');
  await opened.awaitText('messages[0].content');
  await opened.press('Send');
  await opened.awaitText('The provider got the bytes that are previewed below');
  await take(opened, 'playground', 1_150);
};

const takeCalls = async (opened: OpenConsole): Promise<void> => {
  await opened.open('/calls');
  await opened.awaitText('gpt-5');
  await take(opened, 'calls', 800);
  await opened.click('tbody a');
  await opened.awaitText('What left for the provider');
  await opened.press('Verify');
  await opened.awaitText('Valid: every check passed');
  await take(opened, 'call', 1_000);
};

const takeAgent = async (opened: OpenConsole, agentId: string): Promise<void> => {
  await opened.open(`/agents/${agentId}/chat`);
  await opened.fill(`Message to ${NAMES[0]}`, 'Can we afford a second shop?');
  await opened.press('Send');
  await opened.awaitText('three months of costs in reserve');
  await take(opened, 'agent', 800);
};

const takeUsage = async (opened: OpenConsole): Promise<void> => {
  await opened.open('/usage');
  await opened.awaitText('By model');
  await take(opened, 'usage', 900);
};

const takeKeys = async (opened: OpenConsole): Promise<void> => {
  await opened.open('/settings/keys');
  await opened.awaitText('npm start');
  await take(opened, 'keys', 640);
};

/** Writes the page from its top as WebP. Throws if the file is too large. */
const take = async ({ page }: OpenConsole, name: string, height: number): Promise<void> => {
  await page.setViewport({ width: WIDTH, height, theme: 'light' });
  await page.read('scrollTo(0, 0)');
  await page.read(
    `Promise.all(document.getAnimations().filter((one) => one instanceof CSSTransition)` +
      `.map((one) => one.finished.catch(() => undefined))).then(() => undefined)`,
  );
  const file = join(FOLDER, `${name}.webp`);
  await writeFile(file, await page.screenshot({ format: 'webp', quality: 82 }));
  const { size } = await stat(file);
  if (size > IMAGE_BYTES_MAX) throw new Error(`${file} has ${size} bytes.`);
  process.stdout.write(`${file}: ${Math.round(size / 1_000)} KB\n`);
};

await main();
