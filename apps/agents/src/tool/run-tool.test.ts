import { describe, expect, it } from '@jest/globals';
import { createRunTool, createTestTool } from './run-tool.ts';
import type { CalledTool, RunToolDeps } from './run-tool.ts';
import type { PostTool, ToolResponse } from './post-tool.ts';
import type { ToolTarget } from './tool.ts';

const TARGET: ToolTarget = {
  id: 'tol_1',
  name: 'get_weather',
  description: 'The weather',
  parameters: '{"type":"object"}',
  url: 'https://tools.example/',
  isActive: true,
  createdAt: new Date(0),
  secret: 'tlsec_x',
};
const TOOL = { id: 'tol_1', agentId: 'agt_1', agentName: 'treasurer' };
const REQUEST = { id: 'call_1', name: 'get_weather', arguments: '{"city":"Köln"}', round: 2 };

type Options = { target?: ToolTarget | undefined; answer?: ToolResponse; violations?: string[] };

const open = (options: Options = {}) => {
  const { answer = { status: 200, body: Buffer.from('{"sky":"clear"}') }, violations = [] } =
    options;
  const posted: Parameters<PostTool>[0][] = [];
  const called: CalledTool[] = [];
  const targets: string[] = [];
  let now = 0;
  const deps: RunToolDeps = {
    findTarget: async (workspaceId, { toolId, agentId }) => {
      targets.push(`${workspaceId} ${toolId} ${agentId}`);
      return 'target' in options ? options.target : TARGET;
    },
    validator: { findViolations: async () => violations },
    post: async (call) => {
      posted.push(call);
      now += 12.34;
      return answer;
    },
    now: () => now,
    runMcp: () => Promise.reject(new Error('These tools belong to no MCP server')),
    onCalled: (call) => void called.push(call),
  };
  const client = new AbortController();
  const caller = { workspaceId: 'ws_1', signal: client.signal };
  return { deps, posted, called, targets, client, caller };
};

const HEAD = { ...REQUEST, toolId: 'tol_1' };
const UNSENT_RESULT = { ...HEAD, status: 'error', httpStatus: null, durationMs: 0, result: null };

describe('createRunTool', () => {
  it("returns the run with the model's call id and emits it without content", async () => {
    const { deps, posted, called, targets, caller } = open();
    expect(await createRunTool(deps)(TOOL, REQUEST, caller)).toEqual({
      ...HEAD,
      status: 'ok',
      httpStatus: 200,
      durationMs: 12.3,
      result: '{"sky":"clear"}',
      error: null,
    });
    expect(targets).toEqual(['ws_1 tol_1 agt_1']);
    expect(posted).toMatchObject([{ url: TARGET.url, toolId: 'tol_1', signal: caller.signal }]);
    const okFields = { status: 'ok', failure: null, httpStatus: 200, durationMs: 12.3 };
    expect(called).toEqual([
      { workspaceId: 'ws_1', toolId: 'tol_1', name: 'get_weather', ...okFields },
    ]);
  });

  it.each([
    ['that is null', 'null', 'null'],
    [
      'with white space and long numbers',
      ' { "n" : 1.0 ,\n"m":12345678901234567890}',
      '{"n":1.0,"m":12345678901234567890}',
    ],
    ['with names of inherited members', '{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
  ])('returns a result %s as text', async (_name, text, result) => {
    const { deps, caller } = open({ answer: { status: 200, body: Buffer.from(text) } });
    const run = await createRunTool(deps)(TOOL, REQUEST, caller);
    expect(run).toMatchObject({ status: 'ok', result, error: null });
  });

  it("sends the tool's current name", async () => {
    const { deps, posted, caller } = open({ target: { ...TARGET, name: 'weather' } });
    const run = await createRunTool(deps)(TOOL, REQUEST, caller);
    expect(run.name).toBe('get_weather');
    expect(posted[0]!.headers['X-Service-Tool']).toBe('weather');
    expect(JSON.parse(posted[0]!.body)).toEqual({ tool: 'weather', arguments: { city: 'Köln' } });
  });

  it.each<[string, Options, RegExp]>([
    ['was deleted meanwhile', { target: undefined }, /not there any more/],
    ['was deactivated meanwhile', { target: { ...TARGET, isActive: false } }, /not there any more/],
    [
      'has a secret encrypted with another key',
      { target: { ...TARGET, secret: undefined } },
      /rotated/,
    ],
    ['rejects the arguments', { violations: ['city is required'] }, /city is required/],
  ])('returns an error and sends nothing if the tool %s', async (_name, options, words) => {
    const { deps, posted, called, caller } = open(options);
    const run = await createRunTool(deps)(TOOL, REQUEST, caller);
    expect(run).toEqual({ ...UNSENT_RESULT, error: expect.stringMatching(words) });
    expect([posted, called]).toEqual([[], []]);
  });

  it('sends nothing if the caller has left', async () => {
    const { deps, posted, client, caller } = open();
    client.abort(new Error('left'));
    const running = createRunTool(deps)(TOOL, REQUEST, caller);
    await expect(running).rejects.toThrow('left');
    expect(posted).toEqual([]);
  });

  it('truncates overlong arguments', async () => {
    const { deps, caller } = open();
    const request = { ...REQUEST, arguments: 'x'.repeat(1_000_000) };
    const run = await createRunTool(deps)(TOOL, request, caller);
    expect(run.arguments).toHaveLength(65_536);
    expect(run.error).toMatch(/longer than/);
  });

  it('rejects with failures of the service', async () => {
    const { deps, caller } = open();
    const broken = { ...deps, findTarget: () => Promise.reject(new Error('no database')) };
    const running = createRunTool(broken)(TOOL, REQUEST, caller);
    await expect(running).rejects.toThrow('no database');
  });
});

describe('createTestTool', () => {
  it('calls an inactive tool without a model', async () => {
    const { deps, targets, caller } = open({ target: { ...TARGET, isActive: false } });
    const run = await createTestTool(deps)('tol_1', '{}', caller);
    expect(run).toMatchObject({ id: '', name: TARGET.name, arguments: '{}', round: 0 });
    expect(run.status).toBe('ok');
    expect(targets).toEqual(['ws_1 tol_1 undefined']);
  });

  it.each([
    ['NOT_FOUND', undefined],
    ['UNAVAILABLE', { ...TARGET, secret: undefined }],
  ])('rejects with %s', async (reason, target) => {
    const { deps, posted, caller } = open({ target });
    await expect(createTestTool(deps)('tol_1', '{}', caller)).rejects.toMatchObject({ reason });
    expect(posted).toEqual([]);
  });
});
