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

  const HIDDEN = '\u{e0041}\u202e\u200b\x1b\ufeff';

  it('has no hidden characters in what people and models read', async () => {
    const description = `Reads${HIDDEN} a\nfile 👨‍👩‍👧 ✌️ קובץ`;
    const properties = { path: { type: 'string', description: `Where${HIDDEN}` } };
    const [tool] = await read([
      toolOf(0, { description, inputSchema: { type: 'object', properties } }),
    ]).tools;
    expect(tool).toMatchObject({ description: 'Reads a\nfile 👨‍👩‍👧 ✌️ קובץ', problem: '' });
    expect(JSON.parse(tool!.parameters)).toMatchObject({
      properties: { path: { description: 'Where' } },
    });
  });

  it.each([
    ['NUL in its description', { description: 'a\0b' }],
    ['NUL in its name', { name: 'a\0b' }],
    ['NUL in its schema', { inputSchema: { type: 'object', title: 'a', default: 'a\0b' } }],
    ['a tag in its name', { name: 'a\u{e0041}' }],
    [
      'a hidden name of an argument',
      { inputSchema: { type: 'object', properties: { 'a\u202e': {} } } },
    ],
    ['a hidden value', { inputSchema: { type: 'object', enum: ['\u{e0041}'] } }],
    ['an escape character', { inputSchema: { type: 'object', enum: ['\\\x1b'] } }],
  ])('does not offer a tool with %s', async (_name, more) => {
    const [tool] = await read([toolOf(0, more)]).tools;
    expect(tool!.problem).toContain('cannot be seen');
    expect(JSON.stringify(tool)).not.toContain('\\u0000');
  });

  it('offers a tool whose values only look like escapes', async () => {
    const inputSchema = { type: 'object', enum: ['\\u0000', '\\b', '\n\t'] };
    expect(await read([toolOf(0, { inputSchema })]).tools).toMatchObject([{ problem: '' }]);
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
