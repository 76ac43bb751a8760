import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { CLIENT_INFO } from './mcp/open-sdk-client.ts';

const PAGE = new URL('../docs/mcp-clients.md', import.meta.url);
const ADDRESS = 'https://witan.example.com';

type Server = { url: string; type?: string; headers?: Record<string, string> };
type JsonConfig = { mcpServers?: Record<string, Server>; servers?: Record<string, Server> };

/** Reads the server of a JSON configuration, which has it in one of two members. */
const readJson = (text: string): Server => {
  const { mcpServers, servers } = JSON.parse(text) as JsonConfig;
  return (mcpServers ?? servers)!.witan!;
};

/** Reads a configuration of Codex: a table with texts and numbers. */
const readToml = (text: string): Server => {
  const [table, ...lines] = text.trim().split('\n');
  expect(table).toBe('[mcp_servers.witan]');
  const members = lines.map((line) => /^(\w+) = ("[^"]*"|\d+)$/.exec(line)!.slice(1));
  const { url, bearer_token_env_var: variable } = Object.fromEntries(
    members.map(([name, value]) => [name, JSON.parse(value!) as unknown]),
  ) as { url: string; bearer_token_env_var: string };
  return { url, headers: { Authorization: `Bearer \${${variable}}` } };
};

describe('the configuration of clients in the documentation', () => {
  let system: TestSystem;
  let page = '';
  beforeAll(async () => {
    page = await readFile(PAGE, 'utf8');
    system = await openTestSystem({ hasCouncil: true });
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  /** Returns the code block behind the bold name of a client. */
  const blockOf = (client: string, language: string): string => {
    const start = page.indexOf(`**${client}**`);
    const [, block] = new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``).exec(page.slice(start))!;
    return block!;
  };

  it.each([
    ['Claude Code', 'json', readJson, '${WITAN_API_KEY}'],
    ['Cursor', 'json', readJson, '${env:WITAN_API_KEY}'],
    ['Codex', 'toml', readToml, '${WITAN_API_KEY}'],
    ['VS Code', 'json', readJson, '${input:witan-key}'],
  ] as const)('connects %s', async (name, language, read, placeholder) => {
    const { url, headers } = read(blockOf(name, language));
    const { Authorization: authorization } = headers!;
    expect(authorization).toContain(placeholder);
    const requestInit = {
      headers: { authorization: authorization!.replace(placeholder, system.apiKey) },
    };
    const address = new URL(url.replace(ADDRESS, system.baseUrl));
    const client = new Client(CLIENT_INFO, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
    expect((await client.listTools()).tools).toHaveLength(8);
    await client.close();
  });

  it('connects Claude Code by its command', async () => {
    const command = blockOf('Claude Code', 'sh');
    const [, url, header] = /(https:\S+) --header "([^"]*)"/.exec(command)!;
    expect([url, header]).toEqual([`${ADDRESS}/mcp`, 'Authorization: Bearer $WITAN_API_KEY']);
  });
});
