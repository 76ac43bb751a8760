import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import type { SerializedTaskReference } from '@modelcontextprotocol/ext-tasks/client';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { createHttpClient } from './http-client.ts';
import { connectClient, openTaskSession } from './mcp/open-sdk-client.ts';
import { verifySavedResult } from './mcp/verify-saved-result.ts';

const QUESTION = 'Should we let everybody work from home for good?';
const HELLO = { systemPrompt: 'Be brief.', messages: [{ role: 'user', content: 'Hello?' }] };

describe('the official MCP client', () => {
  let system: TestSystem;
  let client: Client;
  let agentId = '';

  beforeAll(async () => {
    system = await openTestSystem({ hasCouncil: true });
    client = await connectClient(system);
    const { json } = await createHttpClient(system).send('/v1/agents');
    agentId = (json as { agents: { id: string }[] }).agents[0]!.id;
  });
  afterAll(async () => {
    await client.close();
    await system[Symbol.asyncDispose]();
  });

  const callTool = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args });
    expect([name, result.isError, JSON.stringify(result.content)]).toEqual([
      name,
      undefined,
      expect.any(String),
    ]);
    return result as {
      structuredContent: Record<string, unknown>;
      _meta?: Record<string, unknown>;
    };
  };

  it('speaks the newest revision with this server', () => {
    expect(client.getProtocolEra()).toBe('modern');
  });

  it('lists tools, prompts and resources', async () => {
    expect((await client.listTools()).tools).toHaveLength(8);
    expect((await client.listPrompts()).prompts).toHaveLength(5);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2);
  });

  it('calls every tool but the debate, and accepts their results by their schemas', async () => {
    const completed = await callTool('complete', HELLO);
    const { proofIds } = completed._meta!['dev.witan/proof'] as { proofIds: string[] };
    await callTool('ask_agent', { agentId, message: 'Hello?' });
    await callTool('search_knowledge', { query: 'pricing' });
    const verified = await callTool('verify_proof', { proofId: proofIds[0] });
    expect(verified.structuredContent).toMatchObject({ valid: true });
    const created = await callTool('create_simulation', {
      name: 'Acme',
      turnUnit: 'quarter',
      companyBase: { revenue: 1_000_000, employees: 12, burn: 90_000, sector: 'software' },
    });
    const { simulation } = created.structuredContent as { simulation: { id: string } };
    await callTool('advance_simulation', { simulationId: simulation.id });
    await callTool('analyze_market', { query: 'Bicycle repair in Cologne', depth: 'quick' });
  }, 60_000);

  it('debates with progress as a client of an earlier revision', async () => {
    const legacy = await connectClient(system, 'legacy');
    const messages: (string | undefined)[] = [];
    const request = { name: 'ask_council', arguments: { content: QUESTION } };
    const result = await legacy.callTool(request, {
      onprogress: ({ message }) => void messages.push(message),
    });
    await legacy.close();
    expect(result.isError).toBeUndefined();
    expect(messages[0]).toBe('Debate started with 5 agents');
    expect(messages.length).toBeGreaterThan(5);
  });

  it('loses no debate when it is killed: another picks it up by its id, paid once', async () => {
    const before = (await createHttpClient(system).listCertificates()).length;
    const reference = await startAndKill();
    expect(reference).toMatchObject({ generation: 'v2', originalOperation: 'tools/call' });
    await using session = openTaskSession(client, system);
    const resumed = await session.resumeTask(reference);
    const { outcome } = await resumed.settle();
    const result = resultFromTaskOutcome(outcome) as unknown as Result;
    const { debateId, synthesis } = result.structuredContent;
    expect([debateId, result.content[0]!.text]).toEqual([reference.taskId, synthesis.content]);
    const { proofIds } = result._meta['dev.witan/proof'];
    const certificates = await createHttpClient(system).listCertificates();
    expect(
      certificates
        .slice(before)
        .map(({ payload }) => payload.id)
        .toSorted(),
    ).toEqual(proofIds.toSorted());
    const verdict = await verifySavedResult(system, proofIds[0]!, JSON.stringify(result));
    expect(verdict).toBe('valid');
  });

  /** Starts a debate in a process of its own, and kills it once the task has an id. */
  const startAndKill = async (): Promise<SerializedTaskReference> => {
    const script = fileURLToPath(new URL('mcp/start-debate.ts', import.meta.url));
    const argv = ['--disable-warning=ExperimentalWarning', script];
    const child = spawn(process.execPath, [...argv, system.baseUrl, system.apiKey, QUESTION], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        return JSON.parse(line) as SerializedTaskReference;
      }
      throw new Error('The client ended without a task');
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  };
});

type Result = {
  content: { text: string }[];
  structuredContent: { debateId: string; synthesis: { content: string } };
  _meta: { 'dev.witan/proof': { proofIds: string[] } };
};
