import type { Caller } from '../http-client.ts';

/**
 * Calls the operation with this id and returns the parsed body of its response; `streamed` requests
 * an event stream.
 */
export type TourCall = (operationId: string, asked?: TourRequest) => Promise<TourResponse>;

export type TourRequest = {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: object;
  streamed?: boolean;
  /** Headers that replace the API key. */
  headers?: Readonly<Record<string, string>>;
};

type TourResponse = Record<string, Record<string, unknown>>;

const idOf = (answer: TourResponse, member: string): string => String(answer[member]!.id);

type TourContext = { call: TourCall; caller: Caller; receiverUrl: string; mcpUrl: string };

/** Calls every operation of the API at least once, to record examples for the API reference. */
export const takeTour = async (context: TourContext): Promise<void> => {
  const { call, caller, receiverUrl, mcpUrl } = context;
  await askModels(call);
  const agentId = await useAgents(call);
  await readDocuments(call, agentId);
  await useTools(call, { agentId, receiverUrl });
  await useMcp(call, { caller, mcpUrl });
  await holdDebate(call);
  await followEvents(call);
  await runSimulation(call);
  await analyzeMarkets(call);
  await completeAndExtract(call);
  await manageWebhooks(call, receiverUrl);
  await manageWorkspace(call);
  await useConsole(call, caller);
  await verifyCertificates(call, caller.apiKey);
  await deleteTourAgent(call, agentId);
};

const QUESTION = 'Our support queue is a week long. Shall we hire?';

const askModels = async (call: TourCall): Promise<void> => {
  const messages = [{ role: 'user', content: QUESTION }];
  for (const streamed of [false, true]) {
    const streamOption = streamed ? { stream: true } : {};
    const chat = { model: 'service-auto', messages };
    await call('createChatCompletion', { body: { ...chat, ...streamOption }, streamed });
    const message = { model: 'claude-sonnet-4', max_tokens: 500, messages };
    await call('createMessage', { body: { ...message, ...streamOption }, streamed });
    const input = { model: 'claude-sonnet-4', input: QUESTION };
    await call('createResponse', { body: { ...input, ...streamOption }, streamed });
  }
  const stored = await call('createResponse', {
    body: { model: 'service-auto', instructions: 'Be brief.', input: QUESTION },
  });
  const id = (stored as unknown as { id: string }).id;
  await call('getResponse', { params: { id } });
  await call('listResponseInputItems', { params: { id } });
  const compacted = { model: 'service-auto', input: 'Shall we hire?', previous_response_id: id };
  await call('compactResponse', { body: compacted });
  await call('deleteResponse', { params: { id } });
  await call('countTokens', { body: { model: 'gpt-4o-mini', messages } });
  const personal = { role: 'user', content: 'Mail Ingrid Solberg, ingrid@example.com.' };
  const preview = { model: 'gpt-4o-mini', messages: [personal] };
  await call('previewChatCompletion', { body: preview });
  await call('previewMessage', { body: { ...preview, max_tokens: 500 } });
  await call('previewResponse', { body: { model: preview.model, input: preview.messages } });
  const embedding = { model: 'text-embedding-3-small', input: ['Nine months of cash.'] };
  await call('createEmbedding', { body: embedding });
  await call('listModels');
  await call('getModel', { params: { id: 'service-auto' } });
};

const useAgents = async (call: TourCall): Promise<string> => {
  const persona = (name: string, role: string) => ({
    name,
    role,
    systemPrompt: `You weigh every question as ${role.toLowerCase()}.`,
    model: 'gpt-4o-mini',
  });
  await call('createAgent', { body: persona('Product', 'Head of product') });
  await call('createAgent', { body: persona('Sceptic', 'Devil\u2019s advocate') });
  const created = await call('createAgent', {
    body: persona('Finance', 'Chief financial officer'),
  });
  const id = idOf(created, 'agent');
  await call('listAgents');
  await call('updateAgent', { params: { id }, body: { decisionStyle: 'Cash first' } });
  await call('getAgent', { params: { id } });
  const createdSession = await call('createSession', { params: { id }, body: { title: 'Hiring' } });
  const sid = idOf(createdSession, 'session');
  const chat = { message: QUESTION, sessionId: sid, options: { maxTokens: 800 } };
  for (const streamed of [false, true]) {
    await call('chatWithAgent', { params: { id }, body: chat, streamed });
  }
  await call('listSessions', { params: { id } });
  await call('getSession', { params: { id, sid } });
  await call('deleteSession', { params: { id, sid } });
  for (const value of ['Nine months of cash', 'Eight months of cash']) {
    const memories = [{ key: 'runway', value, type: 'fact' }];
    await call('saveMemories', { params: { id }, body: { memories } });
  }
  const listed = await call('listMemories', { params: { id } });
  const [memory] = listed.memories as unknown as { id: string }[];
  await call('listMemoryRevisions', { params: { id, memoryId: memory!.id } });
  await call('deleteMemory', { params: { id, memoryId: memory!.id } });
  return id;
};

const readDocuments = async (call: TourCall, agentId: string): Promise<void> => {
  const created = await call('createKnowledgeSource', {
    body: { name: 'Handbook', description: 'What every new colleague gets' },
  });
  const sourceId = idOf(created, 'source');
  const body = { title: 'Leave', content: 'Parental leave is twenty-six weeks.' };
  const added = await call('addKnowledgeDocument', { params: { id: sourceId }, body });
  await call('linkKnowledgeSource', { params: { id: agentId }, body: { sourceId } });
  await call('listAgentKnowledge', { params: { id: agentId } });
  await call('listKnowledgeSources');
  await call('getKnowledgeSource', { params: { id: sourceId } });
  await call('listKnowledgeDocuments', { params: { id: sourceId } });
  await call('searchKnowledge', { body: { query: 'How long is parental leave?', limit: 3 } });
  await call('unlinkKnowledgeSource', { params: { id: agentId, sourceId } });
  await call('deleteKnowledgeDocument', { params: { id: idOf(added, 'document') } });
  await call('deleteKnowledgeSource', { params: { id: sourceId } });
};

const useTools = async (
  call: TourCall,
  { agentId, receiverUrl }: { agentId: string; receiverUrl: string },
): Promise<void> => {
  const parameters = {
    type: 'object',
    required: ['city'],
    properties: { city: { type: 'string' } },
  };
  const description = 'The weather of a city, now';
  const created = await call('createTool', {
    body: { name: 'get_weather', description, parameters, url: `${receiverUrl}/weather` },
  });
  const id = idOf(created, 'tool');
  await call('linkTool', { params: { id: agentId }, body: { toolId: id } });
  await call('listAgentTools', { params: { id: agentId } });
  await call('listTools');
  await call('getTool', { params: { id } });
  await call('updateTool', { params: { id }, body: { isActive: false } });
  await call('putTool', { params: { id }, body: { isActive: true } });
  await call('testTool', { params: { id }, body: { arguments: { city: 'Oslo' } } });
  await call('rotateToolSecret', { params: { id } });
  await call('unlinkTool', { params: { id: agentId, toolId: id } });
  await call('deleteTool', { params: { id } });
};

const useMcp = async (
  call: TourCall,
  { caller, mcpUrl }: Pick<TourContext, 'caller' | 'mcpUrl'>,
): Promise<void> => {
  const callMcpTool = createCallMcpTool(call, caller);
  const created = await call('createMcpServer', { body: { name: 'tickets', url: mcpUrl } });
  const id = idOf(created, 'server');
  await call('listMcpServers');
  await call('getMcpServer', { params: { id } });
  const refreshed = await call('refreshMcpServer', { params: { id } });
  const { snapshotHash } = refreshed.server!;
  await call('acceptMcpServer', { params: { id }, body: { snapshotHash } });
  await call('deleteMcpServer', { params: { id } });
  const messages = [{ role: 'user', content: QUESTION }];
  const completion = { systemPrompt: 'You help a support team.', messages };
  await callMcpTool('complete', { arguments: completion });
  const asked = { arguments: { content: QUESTION }, progressToken: 'council' };
  await callMcpTool('ask_council', { ...asked, streamed: true });
};

type McpToolCall = { arguments: object; progressToken?: string; streamed?: boolean };

const createCallMcpTool =
  (call: TourCall, { apiKey }: Caller) =>
  async (name: string, { arguments: args, progressToken, streamed }: McpToolCall) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
      'io.modelcontextprotocol/clientCapabilities': {},
      ...(progressToken === undefined ? {} : { progressToken }),
    };
    const method = 'tools/call';
    const headers = {
      'x-api-key': apiKey,
      'mcp-protocol-version': MCP_VERSION,
      'mcp-method': method,
      'mcp-name': name,
    };
    const body = { jsonrpc: '2.0', id: 1, method, params: { name, arguments: args, _meta } };
    await call('callMcp', { headers, body, streamed });
  };

const MCP_VERSION = '2026-07-28';

const holdDebate = async (call: TourCall): Promise<void> => {
  const body = { content: 'Should we double our prices next month?' };
  const created = await call('createConversation', { body: { title: 'Pricing' } });
  const id = idOf(created, 'conversation');
  const debate = await call('holdDebate', { params: { id }, body });
  await call('holdDebate', { params: { id }, body, streamed: true });
  const { debateId } = debate as unknown as { debateId: string };
  await call('followDebate', { params: { id, debateId }, streamed: true });
  await call('listConversations');
  await call('getConversation', { params: { id } });
  await call('deleteConversation', { params: { id } });
};

/** Reads the events of the debates; the stream ends when its key is revoked. */
const followEvents = async (call: TourCall): Promise<void> => {
  const created = await call('createApiKey', { body: { name: 'Events', scopes: ['webhooks'] } });
  const key = { 'x-api-key': created.key as unknown as string };
  // The api-gateway caches the key, so that it opens the stream even if the key is revoked first.
  await call('listWebhookEvents', { headers: key });
  const headers = { ...key, 'last-event-id': 'unknown' };
  const streaming = call('streamEvents', { headers, streamed: true });
  await call('revokeApiKey', { params: { id: idOf(created, 'apiKey') } });
  await streaming;
};

const runSimulation = async (call: TourCall): Promise<void> => {
  const companyBase = {
    sector: 'saas',
    revenue: 2_400_000,
    employees: 24,
    burn: 60_000,
    cash: 1_500_000,
  };
  const created = await call('createSimulation', {
    body: { name: 'Next two years', turnUnit: 'quarter', companyBase, seed: 7 },
  });
  const id = idOf(created, 'simulation');
  const recession = { name: 'Recession', parameters: { gdpGrowth: -2 } };
  const added = await call('addScenario', { params: { id }, body: recession });
  const scenarioId = idOf(added, 'scenario');
  const change = { description: 'Two bad years' };
  await call('updateScenario', { params: { id, scenarioId }, body: change });
  await call('advanceSimulation', { params: { id }, body: { expectedTurn: 0 } });
  await call('advanceSimulation', { params: { id }, body: {}, streamed: true });
  await call('listSimulations');
  await call('getSimulation', { params: { id } });
  await call('listSimulationStates', { params: { id }, query: { scenarioId, limit: '1' } });
  await call('forecastSimulation', { params: { id }, body: { turns: 4, runs: 200 } });
  await call('replaySimulation', { params: { id } });
  await call('finalizeSimulation', { params: { id } });
  await call('getSimulationReport', { params: { id } });
  await call('deleteSimulation', { params: { id } });
};

const analyzeMarkets = async (call: TourCall): Promise<void> => {
  const body = { query: 'How big is the market for oat milk in Germany?', depth: 'quick' };
  const created = await call('analyzeMarket', { body });
  await call('streamMarketAnalysis', { body, streamed: true });
  await call('listMarketAnalyses');
  await call('getMarketAnalysis', { params: { id: (created as unknown as { id: string }).id } });
};

const completeAndExtract = async (call: TourCall): Promise<void> => {
  await call('complete', {
    body: {
      systemPrompt: 'You help a sales team.',
      messages: [{ role: 'user', content: 'We are based in Oslo. What should we ask first?' }],
      supplementary: [{ category: 'account', data: { plan: 'team', seats: 24 }, priority: 'high' }],
      extraction: { source: 'crm', categories: ['company'], persist: true },
    },
  });
  const found = await call('listExtractedData', { query: { source: 'crm', limit: '10' } });
  const [fact] = found.data as unknown as { id: string }[];
  await call('getExtractedData', { params: { id: fact!.id } });
  await call('deleteExtractedData', { params: { id: fact!.id } });
};

const manageWebhooks = async (call: TourCall, receiverUrl: string): Promise<void> => {
  await call('listWebhookEvents');
  const url = `${receiverUrl}/hooks`;
  const body = { url, events: ['debate.synthesized'], description: 'Our CRM' };
  const created = await call('createWebhook', { body });
  const id = idOf(created, 'webhook');
  await call('listWebhooks');
  await call('getWebhook', { params: { id } });
  await call('updateWebhook', { params: { id }, body: { isActive: false } });
  await call('putWebhook', { params: { id }, body: { isActive: true } });
  await call('testWebhook', { params: { id } });
  const log = await call('listDeliveries', { params: { id } });
  const [delivery] = log.deliveries as unknown as { id: string }[];
  await call('redeliver', { params: { id, deliveryId: delivery!.id } });
  await call('rotateWebhookSecret', { params: { id } });
  await call('deleteWebhook', { params: { id } });
};

const manageWorkspace = async (call: TourCall): Promise<void> => {
  await call('getWorkspace');
  const targets = [{ provider: 'openai', model: 'gpt-4o-mini' }];
  await call('putWorkspace', { body: { name: 'Acme', aliases: { drafts: { targets } } } });
  await call('listProviders');
  await call('putProviders', {
    body: {
      providers: [
        { name: 'second', dialect: 'chat-completions', apiKey: 'sk-of-your-own-account' },
      ],
    },
  });
  await call('putProviders', { body: { providers: [] } });
  const created = await call('createApiKey', { body: { name: 'Reports', scopes: ['ai:read'] } });
  const id = idOf(created, 'apiKey');
  await call('listApiKeys');
  await call('rotateApiKey', { params: { id }, body: { immediately: false } });
  await call('revokeApiKey', { params: { id } });
  await call('createCredit', { body: { amount: 1_000_000, reason: 'Contract of 2026' } });
  await call('getBalance');
  await call('listEntries', { query: { limit: '2' } });
};

const useConsole = async (call: TourCall, { baseUrl, apiKey }: Caller): Promise<void> => {
  const created = await call('createConsoleSession', { body: { key: apiKey }, headers: {} });
  const cookie = created.setCookie as unknown as string;
  const headers = { cookie, origin: baseUrl, 'x-witan-console': '1' };
  await call('getConsoleSession', { headers });
  await call('createConsoleLink');
  await call('listConsoleSessions');
  await call('deleteConsoleSession', { headers });
  const other = await call('createConsoleSession', { body: { key: apiKey }, headers: {} });
  await call('endConsoleSession', { params: { id: idOf(other, 'session') } });
};

const verifyCertificates = async (call: TourCall, apiKey: string): Promise<void> => {
  await call('listCalls', { query: { limit: '1' } });
  await call('getUsage', { query: { groupBy: 'day,model' } });
  await call('listAuditEvents', { query: { limit: '2' } });
  const listed = await call('listProofs', { query: { fromIndex: '0', limit: '1' } });
  const [proof] = listed.proofs as unknown as { payload: { id: string } }[];
  const { id } = proof!.payload;
  await call('getProof', { params: { id } });
  await call('verifyProof', { params: { id } });
  await call('exportProofs', { query: { format: 'json' } });
  await readLog(call, { id, apiKey });
  await call('getPublicKey');
  await call('getOpenapi');
  await call('getDocs');
};

const readLog = async (
  call: TourCall,
  { id, apiKey }: { id: string; apiKey: string },
): Promise<void> => {
  const headers = { 'x-api-key': apiKey, prefer: 'wait=20' };
  await call('getBundle', { params: { id }, headers });
  await call('getTreeCheckpoint');
  await call('getTreeTile', { params: { tile: '0/000.p/1' } });
  await call('listEpochs', { query: { from: '0', limit: '1' } });
  await call('getLog', { headers: {} });
  await call('getCheckpoint', { headers: {} });
  await call('getTile', { params: { tile: '0/000.p/1' }, headers: {} });
};

const deleteTourAgent = async (call: TourCall, id: string): Promise<void> => {
  await call('deleteAgent', { params: { id } });
};
