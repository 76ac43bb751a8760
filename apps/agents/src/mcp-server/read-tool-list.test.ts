import { describe, expect, it } from '@jest/globals';
import { readToolList } from './read-tool-list.ts';

const toolOf = (index: number, more: object = {}) => ({
  name: `tool_${index}`,
  description: 'Does something',
  inputSchema: { type: 'object' },
  ...more,
});

const read = (items: readonly unknown[]) => {
  let checks = 0;
  const findError = async (): Promise<undefined> => {
    checks += 1;
  };
  const context = { validator: { findError }, workspaceId: 'ws_1' };
  return { tools: readToolList(items, context), checks: () => checks };
};

describe('the list of tools of a server', () => {
  it('has up to 100 tools', async () => {
    const { tools } = read(Array.from({ length: 100 }, (_, index) => toolOf(index)));
    expect(await tools).toHaveLength(100);
  });

  it('is refused with more, before a schema is checked', async () => {
    const { tools, checks } = read(Array.from({ length: 101 }, (_, index) => toolOf(index)));
    await expect(tools).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
      fields: { code: 'mcp_server_failed' },
    });
    expect(checks()).toBe(0);
  });

  it.each([
    ['a description', { description: 'd'.repeat(4_001) }],
    ['a name as its description', { name: 'n'.repeat(4_001), description: '' }],
  ])('stores 4,000 characters of %s, and does not offer the tool', async (_name, more) => {
    const [tool] = await read([toolOf(0, more)]).tools;
    expect(tool!.description).toHaveLength(4_000);
    expect(tool!.problem).toMatch(/longer than 4000/);
  });
});
