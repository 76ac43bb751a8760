import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerWith } from '@witan/testing';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { openEverythingServer } from './mcp/open-everything-server.ts';

type McpServer = {
  id: string;
  protocolVersion: string;
  tools: { id: string; name: string; state: string; problem?: string }[];
};
type Chat = { content: string; toolCalls: { result: unknown; error: string | null }[] };

describe('an agent with the tools of a real MCP server', () => {
  const certificate = createTestCertificate(['127.0.0.1']);
  const authorities = getCACertificates('default');
  let fixture: Fixture;
  let everything: Awaited<ReturnType<typeof openEverythingServer>>;
  let agentId = '';
  let server: McpServer;

  beforeAll(async () => {
    setDefaultCACertificates([...authorities, certificate.cert]);
    everything = await openEverythingServer(certificate);
    fixture = await openFixture({
      env: { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1', WITAN_MODEL_FULL: 'gpt-full' },
    });
    const agent = { name: 'Treasurer', systemPrompt: 'You compute.' };
    const created = await fixture.client.send('/v1/agents', { body: agent });
    agentId = (created.json as { agent: { id: string } }).agent.id;
    const body = { name: 'everything', url: everything.url };
    const answer = await fixture.client.send('/v1/mcp-servers', { body });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    ({ server } = answer.json as { server: McpServer });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await everything[Symbol.asyncDispose]();
    setDefaultCACertificates(authorities);
  });

  const toolNamed = (name: string) => server.tools.find((tool) => tool.name === name)!;
  const link = async (name: string): Promise<void> => {
    const body = { toolId: toolNamed(name).id };
    const { status } = await fixture.client.send(`/v1/agents/${agentId}/tools`, { body });
    expect(status).toBe(200);
  };
  const chat = async (name: string, args: object): Promise<Chat> => {
    fixture.provider.script(answerWith({ toolCalls: [{ name, arguments: JSON.stringify(args) }] }));
    fixture.provider.script(answerWith({ content: 'Done.' }));
    const body = { message: 'Compute.', tools: { enabled: true } };
    const answer = await fixture.client.send(`/v1/agents/${agentId}/chat`, { body });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json as Chat;
  };

  it('registers the server, which speaks an earlier revision', () => {
    expect(server.protocolVersion).toBe('2025-11-25');
    expect(server.tools.filter(({ state }) => state !== 'accepted')).toEqual([]);
    expect(server.tools.length).toBeGreaterThan(8);
  });

  it('refuses a header that sets the prototype of an object', async () => {
    const body = '{"name":"other","url":"https://mcp.example/","headers":{"__proto__":"x"}}';
    const answer = await fixture.client.send('/v1/mcp-servers', { body });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ error: { param: 'headers' } });
  });

  it('calls a tool in a chat and answers with its result', async () => {
    await link('everything__get_sum');
    const { content, toolCalls } = await chat('everything__get_sum', { a: 2, b: 40 });
    expect(content).toBe('Done.');
    expect(toolCalls).toMatchObject([{ error: null, result: expect.stringContaining('42') }]);
    const sent = fixture.calls().at(-1)!.parsed as { messages: { content: string }[] };
    expect(sent.messages.at(-1)!.content).toContain('42');
  });

  it('gives the model an error for arguments that do not fit', async () => {
    const { toolCalls } = await chat('everything__get_sum', { a: 'two' });
    expect(toolCalls).toMatchObject([{ result: null, error: expect.stringContaining('schema') }]);
  });

  it('is shown on the list of servers and tools, and deleted with its tools', async () => {
    const list = await fixture.client.send('/v1/mcp-servers');
    expect(list.json).toMatchObject({ servers: [{ id: server.id, name: 'everything' }] });
    const { id } = toolNamed('everything__echo');
    const tool = await fixture.client.send(`/v1/tools/${id}`);
    expect(tool.json).toMatchObject({ tool: { mcpServerId: server.id } });
    const path = `/v1/mcp-servers/${server.id}`;
    expect((await fixture.client.send(path, { method: 'DELETE' })).status).toBe(204);
    expect((await fixture.client.send(`/v1/tools/${id}`)).status).toBe(404);
  });
});
