import { expect } from '@jest/globals';
import { answerWith } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import { PING } from './http-client.ts';
import type { HttpClient } from './http-client.ts';

/** Ids and names of one workspace's objects, which no other workspace may see. */
export type WorkspaceObjects = Record<
  | 'proof'
  | 'model'
  | 'response'
  | 'secondResponse'
  | 'apiKey'
  | 'secondKey'
  | 'consoleSession'
  | 'entry'
  | 'provider'
  | 'webhook'
  | 'secondWebhook'
  | 'delivery'
  | 'agent'
  | 'secondAgent'
  | 'session'
  | 'memory'
  | 'fact'
  | 'tool'
  | 'secondTool'
  | 'mcpServer'
  | 'secondMcpServer'
  | 'snapshotHash'
  | 'source'
  | 'secondSource'
  | 'document'
  | 'conversation'
  | 'secondConversation'
  | 'debate'
  | 'simulation'
  | 'secondSimulation'
  | 'scenario'
  | 'analysis',
  string
>;

/** Creates an object of each kind in the workspace of `client`; MCP servers at `mcpUrl`. */
export const createOwnerObjects = async (
  client: HttpClient,
  { provider, mcpUrl }: { provider: ScriptedProvider; mcpUrl: string },
): Promise<WorkspaceObjects> => {
  const read = async <T>(path: string, body?: object, method?: string): Promise<T> => {
    const { status, json } = await client.send(path, { body, method });
    expect([path, Math.floor(status / 100)]).toEqual([path, 2]);
    return json as T;
  };
  const makeKey = async (): Promise<string> =>
    (await read<{ apiKey: { id: string } }>('/v1/api-keys', { name: 'own' })).apiKey.id;
  const providerName = 'provider-of-the-owner';
  const model = 'alias-of-the-owner';
  const custom = { name: providerName, baseUrl: 'https://models.example/v1', apiKey: 'sk-own' };
  await read('/v1/workspace/providers', { providers: [custom] }, 'PUT');
  const targets = [{ provider: 'openai', model: 'gpt-of-the-owner' }];
  await read('/v1/workspace', { aliases: { [model]: { targets } } }, 'PUT');
  const proof = (await client.complete(PING)).headers.get('x-service-proof')!;
  const ask = async (): Promise<string> =>
    (await read<{ id: string }>('/v1/responses', { model: 'claude-test', input: 'hello' })).id;
  const [response, secondResponse] = [await ask(), await ask()];
  const { entries } = await read<{ entries: { id: string }[] }>('/v1/ledger/entries');
  const [apiKey, secondKey] = [await makeKey(), await makeKey()];
  const makeWebhook = async (): Promise<string> => {
    const draft = { url: 'https://of-the-owner.invalid/', events: ['webhook.test'] };
    return (await read<{ webhook: { id: string } }>('/v1/webhooks', draft)).webhook.id;
  };
  const [webhook, secondWebhook] = [await makeWebhook(), await makeWebhook()];
  await read(`/v1/webhooks/${webhook}/test`, {});
  const log = await read<{ deliveries: { id: string }[] }>(`/v1/webhooks/${webhook}/deliveries`);
  const delivery = log.deliveries[0]!.id;
  const { link } = await read<{ link: { url: string } }>('/v1/console/links', {});
  const token = new URL(link.url).hash.slice('#token='.length);
  const { session } = await read<{ session: { id: string } }>('/v1/console/sessions', { token });
  const keys = { apiKey, secondKey, consoleSession: session.id };
  const webhooks = { webhook, secondWebhook, delivery };
  const agents = await createAgents(read, provider);
  const makeTool = async (name: string): Promise<string> => {
    const parameters = { type: 'object' };
    const draft = { name, description: 'x', parameters, url: 'https://of-the-owner.invalid/' };
    return (await read<{ tool: { id: string } }>('/v1/tools', draft)).tool.id;
  };
  const tools = { tool: await makeTool('first'), secondTool: await makeTool('second') };
  const mcpServers = await createMcpServers(read, mcpUrl);
  const knowledge = await createKnowledge(read);
  const conversations = await createConversations(read);
  const simulations = await createSimulations(read);
  const analysis = await createAnalysis(read, provider);
  const entry = entries[0]!.id;
  const ids = { ...webhooks, ...tools, ...agents, analysis };
  const moreIds = { ...mcpServers, ...knowledge, ...conversations, ...simulations };
  return {
    proof,
    model,
    response,
    secondResponse,
    ...keys,
    entry,
    provider: providerName,
    ...ids,
    ...moreIds,
  };
};

type Read = <T>(path: string, body?: object) => Promise<T>;

const createMcpServers = async (read: Read, url: string) => {
  const make = async (name: string) =>
    (
      await read<{ server: { id: string; snapshotHash: string } }>('/v1/mcp-servers', {
        name,
        url,
      })
    ).server;
  const { id: mcpServer, snapshotHash } = await make('first');
  return { mcpServer, secondMcpServer: (await make('second')).id, snapshotHash };
};

const createKnowledge = async (read: Read) => {
  const make = async (name: string): Promise<string> =>
    (await read<{ source: { id: string } }>('/v1/knowledge/sources', { name })).source.id;
  const [source, secondSource] = [await make('first'), await make('second')];
  const path = `/v1/knowledge/sources/${source}/documents`;
  const { document } = await read<{ document: { id: string } }>(path, { content: 'x' });
  return { source, secondSource, document: document.id };
};

const createConversations = async (read: Read) => {
  const make = async (title: string): Promise<string> =>
    (await read<{ conversation: { id: string } }>('/v1/conversations', { title })).conversation.id;
  const [conversation, secondConversation] = [await make('first'), await make('second')];
  const path = `/v1/conversations/${conversation}/message`;
  const { debateId: debate } = await read<{ debateId: string }>(path, { content: 'hello' });
  return { conversation, secondConversation, debate };
};

const createSimulations = async (read: Read) => {
  const path = '/v1/sim-engine/simulations';
  const base = { turnUnit: 'quarter', companyBase: { revenue: 1_200_000, employees: 12 } };
  const make = async (name: string): Promise<string> =>
    (await read<{ simulation: { id: string } }>(path, { name, ...base })).simulation.id;
  const [simulation, secondSimulation] = [await make('first'), await make('second')];
  const { scenario } = await read<{ scenario: { id: string } }>(`${path}/${simulation}/scenarios`, {
    name: 'x',
  });
  return { simulation, secondSimulation, scenario: scenario.id };
};

const createAnalysis = async (read: Read, provider: ScriptedProvider): Promise<string> => {
  const analysis = {
    marketSize: { value: 1 },
    trends: ['x'],
    competitors: [{ name: 'x' }],
    recommendations: [{ title: 'x' }],
  };
  provider.script(answerWith({ content: JSON.stringify(analysis) }));
  return (await read<{ id: string }>('/v1/market-analysis', { query: 'x' })).id;
};

const createAgents = async (read: Read, provider: ScriptedProvider) => {
  const make = async (name: string): Promise<string> =>
    (await read<{ agent: { id: string } }>('/v1/agents', { name, systemPrompt: 'x' })).agent.id;
  const [agent, secondAgent] = [await make('first'), await make('second')];
  const seeded = { key: 'k', value: 'v' };
  const { memories } = await read<{ memories: { id: string }[] }>(
    `/v1/agents/${agent}/memory`,
    seeded,
  );
  const fact = { category: 'c', key: 'k', value: 'v', confidence: 1 };
  provider.script(answerWith({ content: 'Noted.' }));
  provider.script(answerWith({ content: JSON.stringify({ facts: [fact] }) }));
  const { sessionId: session } = await read<{ sessionId: string }>(`/v1/agents/${agent}/chat`, {
    message: 'k is v',
    extraction: {},
  });
  const { data } = await read<{ data: { id: string }[] }>('/v1/ai/extracted-data');
  return { agent, secondAgent, session, memory: memories[0]!.id, fact: data[0]!.id };
};
