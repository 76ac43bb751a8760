import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { createHttpClient } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { createMcpCaller } from './mcp/mcp-caller.ts';
import type { McpCaller, ToolResult } from './mcp/mcp-caller.ts';
import { verifySavedResult } from './mcp/verify-saved-result.ts';

const QUESTION = 'Should we double our prices next month?';
const CONTENT = { path: 'content' };
const WITH_TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

describe('the MCP endpoint', () => {
  let system: TestSystem;
  let client: HttpClient;
  let mcp: McpCaller;

  beforeAll(async () => {
    system = await openTestSystem({ hasCouncil: true });
    client = createHttpClient(system);
    mcp = createMcpCaller(system);
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  const keyWith = async (scopes: string[]): Promise<McpCaller> => {
    const { json } = await client.send('/v1/api-keys', { body: { name: 'mcp', scopes } });
    const { key } = json as { key: string };
    return createMcpCaller({ ...system, apiKey: key });
  };

  it('says what it can do', async () => {
    const { status, result } = await mcp.request('server/discover');
    expect(status).toBe(200);
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'witan' } },
    });
  });

  it('lists the tools that the key may call, with the schemas of the API', async () => {
    const { tools } = (await mcp.request('tools/list')).result as { tools: Tool[] };
    expect(tools.map(({ name }) => name)).toEqual([
      'ask_council',
      'ask_agent',
      'complete',
      'search_knowledge',
      'verify_proof',
      'create_simulation',
      'advance_simulation',
      'analyze_market',
    ]);
    const openapi = (await client.send('/v1/openapi.json')).json as OpenApi;
    const complete = tools.find(({ name }) => name === 'complete')!;
    const { properties } = openapi.components.schemas.CompleteRequest!;
    expect(Object.keys(complete.inputSchema.properties)).toEqual(Object.keys(properties));
    const reader = await keyWith(['knowledge:read']);
    const listed = (await reader.request('tools/list')).result as { tools: Tool[] };
    expect(listed.tools.map(({ name }) => name)).toEqual(['search_knowledge']);
  });

  it('completes, and names a certificate that verifies the saved result', async () => {
    const args = { systemPrompt: 'Be brief.', messages: [{ role: 'user', content: 'Hello?' }] };
    const { body, result } = await mcp.callTool('complete', args);
    const { proofIds, payloadHash, keyId } = result._meta['dev.witan/proof'];
    const certificate = await client.send(`/v1/proofs/${proofIds[0]}`);
    expect(certificate.json).toMatchObject({ payload_hash: payloadHash });
    expect(keyId).toMatch(/^[0-9a-f]{16}$/);
    const { content } = result.structuredContent as { content: string };
    expect(result.content).toEqual([{ type: 'text', text: content }]);
    expect(await verify(proofIds[0]!, body)).toBe('valid');
    expect(await verify(proofIds[0]!, body.replaceAll(content, 'Something else.'))).toMatch(
      /^INVALID: response/,
    );
  });

  const verify = (proofId: string, body: string): Promise<string> =>
    verifySavedResult(system, proofId, body);

  it('is refused by scope, by argument and by id as the operation is', async () => {
    const reader = await keyWith(['knowledge:read']);
    const cases: [McpCaller, string, object, string][] = [
      [reader, 'complete', {}, 'insufficient_scope'],
      [mcp, 'complete', { systemPrompt: 5 }, 'invalid_request'],
      [mcp, 'ask_agent', { agentId: 'agt_none', message: 'Hi' }, 'not_found'],
      [mcp, 'verify_proof', {}, 'invalid_request'],
    ];
    for (const [caller, name, args, code] of cases) {
      const { result } = await caller.callTool(name, args);
      expect([name, result.isError, result._meta['dev.witan/error'].code]).toEqual([
        name,
        true,
        code,
      ]);
    }
  });

  it('creates no conversation for a question that is refused', async () => {
    for (const content of [undefined, ' ', 'x'.repeat(32_001)]) {
      const { result } = await mcp.callTool('ask_council', { content });
      const { code, details } = result._meta['dev.witan/error'];
      expect([code, details]).toEqual(['invalid_request', [expect.objectContaining(CONTENT)]]);
    }
    const conversationId = await mcp.callTool('ask_council', {
      content: 'Why?',
      conversationId: 5,
    });
    expect(conversationId.result._meta['dev.witan/error'].details).toEqual([
      expect.objectContaining({ path: 'conversationId' }),
    ]);
    const { json } = await client.send('/v1/conversations');
    expect((json as { conversations: object[] }).conversations).toEqual([]);
  });

  it('asks the user which agent is meant, and refuses an altered or replayed state', async () => {
    const args = { message: 'Hello?' };
    const capabilities = { elicitation: {} };
    const refused = await mcp.callTool('ask_agent', args);
    expect([refused.status, refused.error?.code]).toEqual([400, -32021]);
    const asked = (await mcp.callTool('ask_agent', args, { capabilities }))
      .result as unknown as InputRequired;
    expect(asked.resultType).toBe('input_required');
    const [{ const: agentId }] = asked.inputRequests.agent.params.requestedSchema.properties.agentId
      .oneOf as [{ const: string }];
    const inputResponses = { agent: { action: 'accept', content: { agentId } } };
    const answer = (
      requestState: string,
      more: object = {},
      caller = mcp,
      responses: object = inputResponses,
    ) =>
      caller.request(
        'tools/call',
        {
          ...{ name: 'ask_agent', arguments: { ...args, ...more } },
          ...{ requestState, inputResponses: responses },
        },
        { capabilities },
      );
    const { requestState } = asked;
    for (const action of ['decline', 'cancel']) {
      const declined = await answer(requestState, {}, mcp, { agent: { action } });
      expect(declined.result).toMatchObject({ isError: true });
    }
    for (const wrong of [
      await answer(`${requestState.slice(0, -2)}AA`),
      await answer(requestState, { message: 'Wire the money.' }),
      await answer(requestState, {}, await keyWith(['agents'])),
    ]) {
      expect([wrong.error?.code, wrong.error?.message]).toEqual([
        -32602,
        expect.stringContaining('begin again'),
      ]);
    }
    const { result } = await answer(requestState);
    expect((result as ToolResult).structuredContent).toMatchObject({ agentId });
    // A replay gets the answer of the first call, with its certificate, and asks no model.
    expect((await answer(requestState)).result).toEqual(result);
  });

  it('runs a call once for an idempotency key', async () => {
    const args = { systemPrompt: 'Be brief.', messages: [{ role: 'user', content: 'Once?' }] };
    const meta = { 'dev.witan/idempotencyKey': 'mcp-once' };
    const [first, second] = [
      await mcp.callTool('complete', args, { meta }),
      await mcp.callTool('complete', args, { meta }),
    ];
    expect(second.result).toEqual(first.result);
    const other = await mcp.callTool('complete', { ...args, systemPrompt: 'Be long.' }, { meta });
    expect(other.result._meta['dev.witan/error'].code).toBe('idempotency_key_reused');
  });

  it('debates with progress over a stream for a client without tasks', async () => {
    const called = await mcp.callTool(
      'ask_council',
      { content: QUESTION },
      { meta: { progressToken: 'p1' } },
    );
    const { result, notifications } = called;
    expect(result.structuredContent).toMatchObject({ debateId: expect.stringMatching(/^dbt_/) });
    expect(notifications.length).toBeGreaterThan(5);
    const progress = notifications.map(({ params }) => params.progress as number);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(notifications.every(({ params }) => params.progressToken === 'p1')).toBe(true);
    const [proofId] = result._meta['dev.witan/proof'].proofIds;
    expect(await verify(proofId!, JSON.stringify(called.message))).toBe('valid');
  });

  it('debates as a task that another client picks up, and is paid once', async () => {
    const meta = { 'dev.witan/idempotencyKey': 'task-once' };
    const options = { meta, capabilities: WITH_TASKS };
    const [first, retried] = [
      await mcp.callTool('ask_council', { content: QUESTION }, options),
      await mcp.callTool('ask_council', { content: QUESTION }, options),
    ];
    expect(first.result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null });
    expect(retried.result.taskId).toBe(first.result.taskId);
    const task = await untilEnded(first.result.taskId!);
    expect(task).toMatchObject({ status: 'completed', result: { resultType: 'complete' } });
    const result = task.result!;
    const { proofIds } = result._meta['dev.witan/proof'];
    expect(await verify(proofIds[0]!, JSON.stringify(task))).toBe('valid');
    const debates = (await client.listCertificates()).filter(({ payload }) =>
      proofIds.includes(payload.id),
    );
    expect(debates).toHaveLength(proofIds.length);
    const resource = await mcp.request('resources/read', {
      uri: `witan://debates/${first.result.taskId}`,
    });
    expect(resource.result).toMatchObject({ contents: [{ mimeType: 'application/json' }] });
  });

  const untilEnded = async (taskId: string): Promise<Task> => {
    for (;;) {
      const got = await mcp.request('tasks/get', { taskId }, { capabilities: WITH_TASKS });
      const task = got.result as Task;
      if (task.status !== 'working') return task;
    }
  };

  it('cancels a task, and ends it for everybody', async () => {
    const options = { capabilities: WITH_TASKS };
    const { result } = await mcp.callTool('ask_council', { content: QUESTION }, options);
    const params = { taskId: result.taskId };
    const cancelled = await mcp.request('tasks/cancel', params, options);
    expect(cancelled.result).toMatchObject({ resultType: 'complete' });
    const task = (await mcp.request('tasks/get', params, options)).result as Task;
    expect(['cancelled', 'completed']).toContain(task.status);
  });

  it('refuses tasks without the extension, and unknown ones', async () => {
    const params = { taskId: 'dbt_none' };
    const refused = await mcp.request('tasks/get', params);
    expect([refused.status, refused.error?.code]).toEqual([400, -32021]);
    const unknown = await mcp.request('tasks/get', params, { capabilities: WITH_TASKS });
    expect([unknown.status, unknown.error?.code]).toEqual([200, -32602]);
  });

  it('refuses tasks to a key without the scope as a request that it may not make', async () => {
    const reader = await keyWith(['knowledge:read']);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { error } = await reader.request(
        method,
        { taskId: 'dbt_none' },
        { capabilities: WITH_TASKS },
      );
      expect([method, error]).toEqual([
        method,
        expect.objectContaining({
          code: -32600,
          data: expect.objectContaining({ code: 'insufficient_scope' }),
        }),
      ]);
    }
  });

  it('has a prompt for each agent, and certificates as resources', async () => {
    const { prompts } = (await mcp.request('prompts/list')).result as { prompts: Prompt[] };
    expect(prompts).toHaveLength(5);
    const { name } = prompts[0]!;
    const got = await mcp.request('prompts/get', { name, arguments: { question: 'Why?' } });
    expect(JSON.stringify(got.result)).toContain('ask_agent');
    const { resources } = (await mcp.request('resources/list')).result as Resources;
    const read = await mcp.request('resources/read', { uri: resources[0]!.uri });
    const { contents } = read.result as { contents: { text: string }[] };
    expect(JSON.parse(contents[0]!.text)).toMatchObject({ algorithm: 'Ed25519' });
    const unknown = await mcp.request('resources/read', { uri: 'witan://proofs/pf_none' });
    expect(unknown.error?.code).toBe(-32602);
  });

  it('has no prompts for a key that may not ask an agent', async () => {
    const listPrompts = async (scopes: string[]): Promise<string[]> => {
      const caller = await keyWith(scopes);
      const { prompts } = (await caller.request('prompts/list')).result as { prompts: Prompt[] };
      return prompts.map(({ name }) => name);
    };
    expect(await listPrompts(['conversations', 'agents:read', 'gateway:read'])).toEqual([]);
    expect(await listPrompts(['conversations', 'agents', 'gateway:read'])).toHaveLength(5);
  });

  it.each([
    ['another version in the header', { 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ['another method in the header', { 'mcp-method': 'tools/call' }, 400, -32020],
    ['an origin of the web', { origin: 'https://evil.example' }, 403, -32600],
  ])('refuses a request with %s', async (_name, headers, status, code) => {
    const refused = await mcp.request('tools/list', {}, { headers });
    expect([refused.status, refused.error?.code]).toEqual([status, code]);
  });

  it.each([
    ['text', 'x', 400, -32700],
    ['a batch', '[]', 400, -32600],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}', 400, -32600],
    ['an unknown method', message('unknown/method'), 404, -32601],
    ['a method of all objects', message('__proto__'), 404, -32601],
    ['no metadata', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 400, -32602],
  ])('refuses a body that is %s', async (_name, body, status, code) => {
    const method = body.includes('__proto__') ? '__proto__' : 'unknown/method';
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
    const refused = await mcp.post(body, headers);
    expect([refused.status, refused.error?.code]).toEqual([status, code]);
  });

  it.each(['2025-06-18', '2025-11-25'])('answers clients of %s without a session', async (one) => {
    const send = (method: string, params: object, more: object = { id: 1 }) =>
      mcp.post(JSON.stringify({ jsonrpc: '2.0', ...more, method, params }), {
        ...(method === 'initialize' ? {} : { 'mcp-protocol-version': one }),
      });
    const opened = await send('initialize', { protocolVersion: one, capabilities: {} });
    expect(opened.result).toMatchObject({ protocolVersion: one, serverInfo: { name: 'witan' } });
    expect((await send('notifications/initialized', {}, {})).status).toBe(202);
    const { tools } = (await send('tools/list', {})).result as { tools: Tool[] };
    expect(tools).toHaveLength(8);
    const args = { systemPrompt: 'Be brief.', messages: [{ role: 'user', content: 'Hello?' }] };
    const called = await send('tools/call', { name: 'complete', arguments: args });
    expect((called.result as ToolResult)._meta['dev.witan/proof'].proofIds).toHaveLength(1);
    const asked = await send('tools/call', { name: 'ask_agent', arguments: { message: 'Hi' } });
    expect(asked.result).toMatchObject({ isError: true });
  });

  it('has no stream to open and no session to end', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, headers } = await client.send('/mcp', { method });
      expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    }
  });
});

function message(method: string): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } });
}

type Tool = { name: string; inputSchema: { properties: object } };
type InputRequired = {
  resultType: string;
  requestState: string;
  inputRequests: {
    agent: { params: { requestedSchema: { properties: { agentId: { oneOf: unknown } } } } };
  };
};
type Prompt = { name: string };
type Resources = { resources: { uri: string }[] };
type Task = { status: string; result?: ToolResult };
type OpenApi = { components: { schemas: Record<string, { properties: object }> } };
