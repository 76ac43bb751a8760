import { once } from 'node:events';
import { request as open } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { parsePublicKeys, verifyCertificate } from '@witan/proof';
import { createHttpClient } from '../http-client.ts';
import type { Caller, HttpClient } from '../http-client.ts';
import { findWrongVerdicts } from './judge-synthesis.ts';
import type { Stance, Verdict } from './judge-synthesis.ts';

/** What a job did, for a person to read, and what was wrong with it. */
export type JobResult = { job: string; request: string; result: unknown; problems: string[] };

/** Number of agents of the council; the others of a new system are deleted. */
const AGENTS = 3;

export const QUESTIONS = [
  'We are a 24-person SaaS company with nine months of cash and 4 percent churn a month. Should we hire two sales people now?',
  'Should our bakery with six employees start home delivery next year?',
  'Deberíamos subir los precios un quince por ciento, aunque un cliente da el cuarenta por ciento de los ingresos?',
  'Should a design studio of twelve accept a client that would be sixty percent of its revenue?',
  'Sollen wir unser Lager mit acht Mitarbeitern an einen Dienstleister auslagern?',
  'Should we replace our own data centre by a public cloud within a year?',
  'Should a small clinic open on Saturdays?',
  'Should our machine shop buy a second milling machine on credit?',
  'Should we let all employees work from home on Fridays?',
  'Should a regional newspaper end its printed edition?',
] as const;

export const MARKETS = [
  'How big is the market for oat milk in Germany?',
  'Route-planning software for small trucking companies in Spain. We compete with Webfleet.',
  'How big is the market for electric cargo bikes in the Netherlands?',
  'Private tutoring in mathematics in Poland',
  'Wie groß ist der Markt für Wärmepumpen in Österreich?',
] as const;

const MESSAGES = [
  'Please remember: we have 911,000 euros of cash and spend 100,000 a month.',
  'How long does our cash last?',
  'We prefer short answers. What should we watch most closely?',
  'What do you know about us?',
] as const;

const MEMORY_DEBRIS = /MEMORY\s+key\s*=|<\/?(?:memory|answer|think|tool)/i;

export type Jobs = {
  debate: (question: string) => Promise<JobResult>;
  market: (query: string) => Promise<JobResult>;
  chats: (count: number) => Promise<JobResult[]>;
  fields: () => Promise<JobResult>;
  simulation: (turns: number) => Promise<JobResult>;
  certificates: () => Promise<JobResult>;
};

/** Creates the jobs of a workspace, whose council is reduced to three agents. */
export const openJobs = async (caller: Caller): Promise<Jobs> => {
  const client = createHttpClient(caller);
  const { json } = await client.send('/v1/agents');
  const { agents } = json as { agents: { id: string }[] };
  for (const { id } of agents.slice(AGENTS)) {
    await client.send(`/v1/agents/${id}`, { method: 'DELETE' });
  }
  return {
    debate: (question) => runJob('debate', question, () => debate(caller, question)),
    market: (query) => runJob('market', query, () => analyseMarket(caller, query)),
    chats: (count) => chat(caller, agents[0]!.id, count),
    fields: () => runJob('fields', 'verdict and reason', () => askForFields(caller, agents[0]!.id)),
    simulation: (turns) => runJob('simulation', `${turns} turns`, () => simulate(caller, turns)),
    certificates: () => runJob('certificates', 'all', () => verifyAll(client)),
  };
};

type Outcome = Pick<JobResult, 'result' | 'problems'>;

const runJob = async (
  job: string,
  request: string,
  run: () => Promise<Outcome>,
): Promise<JobResult> => {
  process.stdout.write(`${job}: ${request.slice(0, 80)}\n`);
  try {
    return { job, request, ...(await run()) };
  } catch (error) {
    return { job, request, result: null, problems: [String(error)] };
  }
};

/**
 * Sends a body, or an empty POST, and returns the response. `fetch` gives up after five minutes
 * without a header, which a debate on a slow machine exceeds, so `node:http` sends it.
 */
const ask = async <T>({ baseUrl, apiKey }: Caller, path: string, body?: object): Promise<T> => {
  const call = open(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, ...(body ? { 'content-type': 'application/json' } : {}) },
  });
  call.end(body && JSON.stringify(body));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode! >= 300) throw new Error(`${path}: ${response.statusCode} ${answer}`);
  return JSON.parse(answer) as T;
};

type DebateAnswer = {
  messages: {
    senderType: string;
    agentName?: string;
    content: string;
    roundNumber?: number;
    stances?: Stance[];
  }[];
  synthesis: { consensus: Verdict[] };
};

const debate = async (caller: Caller, question: string): Promise<Outcome> => {
  const created = await ask<{ conversation: { id: string } }>(caller, '/v1/conversations', {
    title: question.slice(0, 60),
  });
  const path = `/v1/conversations/${created.conversation.id}/message`;
  const answer = await ask<DebateAnswer>(caller, path, { content: question });
  const { consensus } = answer.synthesis;
  const prose = answer.messages.find(({ senderType }) => senderType === 'synthesis')?.content ?? '';
  const last = Math.max(...answer.messages.map(({ roundNumber = 0 }) => roundNumber));
  const votes = answer.messages.filter(
    ({ roundNumber, senderType }) => roundNumber === last && senderType === 'agent',
  );
  const problems = findWrongVerdicts(
    prose,
    consensus,
    votes.flatMap((vote) => vote.stances ?? []),
  );
  if (prose === '') problems.push('there is no synthesis');
  const board = votes.map(({ agentName, content, stances }) => ({ agentName, content, stances }));
  return { result: { synthesis: prose, consensus, rounds: last, votes: board }, problems };
};

type Analysis = {
  analysis: {
    marketSize: { description: string | null; value: number | null; confidence: number };
  };
};

const analyseMarket = async (caller: Caller, query: string): Promise<Outcome> => {
  const { analysis } = await ask<Analysis>(caller, '/v1/market-analysis', {
    query,
    depth: 'quick',
  });
  const { confidence } = analysis.marketSize;
  return { result: analysis, problems: confidence < 0.5 ? [] : ['the confidence is the maximum'] };
};

type Reply = { content: string; sessionId: string; memoriesSaved: object[]; contentParsed: object };

/** Sends messages of sessions of four messages each. */
const chat = async (caller: Caller, agent: string, count: number): Promise<JobResult[]> => {
  const results: JobResult[] = [];
  let sessionId: string | undefined;
  for (let index = 0; index < count; index += 1) {
    const message = MESSAGES[index % MESSAGES.length]!;
    const isFirst = index % MESSAGES.length === 0;
    results.push(
      await runJob('chat', message, async () => {
        const body = { message, ...(isFirst || !sessionId ? {} : { sessionId }) };
        const reply = await ask<Reply>(caller, `/v1/agents/${agent}/chat`, body);
        ({ sessionId } = reply);
        const { content, memoriesSaved } = reply;
        const problems = MEMORY_DEBRIS.test(content) ? ['the answer has parts of tags'] : [];
        return { result: { content, memoriesSaved }, problems };
      }),
    );
  }
  return results;
};

const askForFields = async (caller: Caller, agent: string): Promise<Outcome> => {
  const fields = { verdict: 'yes or no', reason: 'one sentence' };
  const { contentParsed } = await ask<Reply>(caller, `/v1/agents/${agent}/chat`, {
    message: 'Should we hire two sales people now?',
    responseFormat: { type: 'json', fields },
  });
  const given = new Map<string, unknown>(Object.entries(contentParsed));
  const missing = Object.keys(fields).filter((name) => (given.get(name) ?? null) === null);
  return { result: contentParsed, problems: missing.map((name) => `${name} is missing`) };
};

const COMPANY = {
  sector: 'saas',
  revenue: 2_400_000,
  employees: 24,
  cash: 1_500_000,
  currency: 'EUR',
};
const SIMULATIONS = '/v1/sim-engine/simulations';

type Simulated = { states: { turn: number; decisions: object }[] };

const simulate = async (caller: Caller, turns: number): Promise<Outcome> => {
  const body = { name: 'Three quarters', turnUnit: 'quarter', seed: 3, companyBase: COMPANY };
  const { simulation } = await ask<{ simulation: { id: string } }>(caller, SIMULATIONS, body);
  const path = `${SIMULATIONS}/${simulation.id}`;
  const decisions: object[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const { states } = await ask<Simulated>(caller, `${path}/advance`);
    decisions.push(...states.map((state) => ({ turn: state.turn, ...state.decisions })));
  }
  const finalized = await ask<object>(caller, `${path}/finalize`);
  return { result: { decisions, finalized }, problems: [] };
};

const verifyAll = async (client: HttpClient): Promise<Outcome> => {
  const keys = parsePublicKeys((await client.send('/v1/gateway/public-key', { headers: {} })).text);
  const certificates = await client.listCertificates();
  const problems = certificates.flatMap((certificate) => {
    try {
      verifyCertificate(certificate, keys);
      return [];
    } catch (error) {
      return [String(error)];
    }
  });
  return { result: { certificates: certificates.length }, problems };
};
