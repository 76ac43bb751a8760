import { describe, expect, it } from '@jest/globals';
import type { ToolCall } from '@witan/dialects';
import { scriptModel } from '../../test/script-model.ts';
import { ask, createFakeTool, TOOLS } from '../../test/script-tool.ts';
import { runScriptedTurn, turnOf } from '../../test/script-turn.ts';
import type { RunTool, TurnTool } from '../tool/tool.ts';

describe('runToolCalls', () => {
  it('sends equal calls once, but repeats failed ones', async () => {
    const model = scriptModel(
      { toolCalls: [ask('rate', '{"a":1,"b":2}', 'x'), ask('rate', '{"b":2, "a":1}', 'y')] },
      { toolCalls: [ask('rate', '{"b":2,"a":1}', 'z'), ask('stock', '{}', 's')] },
      { toolCalls: [ask('stock', '{}', 't')] },
      { texts: ['Ok.'] },
    );
    const tool = createFakeTool(({ name }) =>
      name === 'stock' ? new Error('away') : { fine: true },
    );
    const { outcome } = await runScriptedTurn(turnOf({ tools: TOOLS }), model, tool);
    expect(tool.requests.map(({ id }) => id)).toEqual(['x', 's', 't']);
    expect(outcome.toolRuns.map(({ id, status, durationMs }) => [id, status, durationMs])).toEqual([
      ['x', 'ok', 5],
      ['y', 'ok', 0],
      ['z', 'ok', 0],
      ['s', 'error', 5],
      ['t', 'error', 5],
    ]);
  });

  it('treats missing and empty arguments as equal', async () => {
    const toolCalls = [ask('rate', '', 'a'), ask('rate', ' {} ', 'b'), ask('rate', '{}', 'c')];
    const model = scriptModel({ toolCalls }, { texts: ['Ok.'] });
    const tool = createFakeTool();
    const { outcome } = await runScriptedTurn(turnOf({ tools: TOOLS }), model, tool);
    expect(tool.requests.map(({ id }) => id)).toEqual(['a']);
    expect(outcome.toolRuns.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
  });

  it.each([
    ['no arguments', ''],
    ['incomplete arguments', '{"a":'],
  ])('does not send a call that was cut off with %s', async (_name, text) => {
    const model = scriptModel(
      { toolCalls: [ask('rate', '{}', 'a'), ask('stock', text, 'b')], finishReason: 'length' },
      { texts: ['Ok.'] },
    );
    const tool = createFakeTool();
    const { outcome } = await runScriptedTurn(turnOf({ tools: TOOLS }), model, tool);
    expect(tool.requests.map(({ id }) => id)).toEqual(['a']);
    expect(outcome.toolRuns[1]).toMatchObject({ error: expect.stringMatching(/cut off/) });
  });

  it('sends the last call of a cut-off answer if it is complete', async () => {
    const model = scriptModel(
      { toolCalls: [ask('rate', '{"a":1}')], finishReason: 'length' },
      { texts: ['Ok.'] },
    );
    const tool = createFakeTool();
    await runScriptedTurn(turnOf({ tools: TOOLS }), model, tool);
    expect(tool.requests).toHaveLength(1);
  });

  it('distinguishes calls that differ in the digits of long numbers', async () => {
    const numbers = ['12345678901234567890', '12345678901234567891'];
    const toolCalls = numbers.map((number) => ask('rate', `{"account":${number}}`, number));
    const model = scriptModel({ toolCalls }, { texts: ['Ok.'] });
    const tool = createFakeTool();
    await runScriptedTurn(turnOf({ tools: TOOLS }), model, tool);
    expect(tool.requests.map(({ id }) => id)).toEqual(numbers);
  });

  it('returns an error for an unknown tool', async () => {
    const model = scriptModel({ toolCalls: [ask('drop_all')] }, { texts: ['Ok.'] });
    const { outcome } = await runScriptedTurn(turnOf({ tools: TOOLS }), model);
    expect(outcome.toolRuns).toMatchObject([
      {
        name: 'drop_all',
        toolId: '',
        status: 'error',
        error: expect.stringMatching(/rate, stock/),
      },
    ]);
  });

  it('assigns ids to calls without one', async () => {
    const calls = [ask('rate', '{"a":1}', ''), ask('rate', '{"a":2}', ''), ask('stock', '{}', 'b')];
    const model = scriptModel(
      { toolCalls: [...calls, ask('stock', '[]', 'b')] },
      { texts: ['Ok.'] },
    );
    const { outcome } = await runScriptedTurn(turnOf({ tools: TOOLS }), model, createFakeTool());
    const ids = outcome.toolRuns.map(({ id }) => id);
    expect([new Set(ids).size, ids[2]]).toEqual([4, 'b']);
    const answer = model.calls[1]!.prompt.turns[1]!;
    // The arguments `[]` were replaced, because providers accept only objects.
    expect(answer.parts.at(-1)).toMatchObject({ part: { value: { id: ids[3], arguments: '{}' } } });
  });

  it('makes the ids of a turn unique', async () => {
    const call = (id: string, at: number): ToolCall => ask('rate', `{"at":${at}}`, id);
    const model = scriptModel(
      { toolCalls: [call('call_0', 0), call('call_1_3', 1), call('', 2)] },
      { toolCalls: [call('call_0', 3), call('call_2_1', 4)] },
      { texts: ['Ok.'] },
    );
    const { outcome } = await runScriptedTurn(turnOf({ tools: TOOLS }), model, createFakeTool());
    const ids = outcome.toolRuns.map(({ id }) => id);
    expect(new Set(ids).size).toBe(5);
    expect([ids[0], ids[1], ids[4]]).toEqual(['call_0', 'call_1_3', 'call_2_1']);
    const last = model.calls[2]!.prompt.turns;
    const resultIds = last.flatMap(({ parts }) =>
      parts.flatMap(({ part }) => (part.case === 'toolResult' ? [part.value.toolCallId] : [])),
    );
    expect(resultIds).toEqual(ids);
  });

  it('replaces invalid names and arguments in the prompt', async () => {
    const deep = `{"a":${'['.repeat(500)}${']'.repeat(500)}}`;
    const long = JSON.stringify({ a: 'x'.repeat(1_000_000) });
    const model = scriptModel(
      { toolCalls: [ask('functions.rate', '{}', 'a'), ask('', deep, 'b'), ask('é', long, 'c')] },
      { texts: ['Ok.'] },
    );
    const { outcome } = await runScriptedTurn(turnOf({ tools: TOOLS }), model);
    const sentParts = model.calls[1]!.prompt.turns[1]!.parts.map(({ part }) => part.value);
    expect(sentParts).toMatchObject([
      { name: 'functions_rate', arguments: '{}' },
      { name: 'unknown', arguments: '{}' },
      { name: '_', arguments: '{}' },
    ]);
    const recorded = outcome.toolRuns.map(({ name, arguments: text }) => [name, text.length]);
    // Arguments are recorded with at most one unit more than a tool accepts.
    expect(recorded).toEqual([
      ['functions.rate', 2],
      ['', deep.length],
      ['é', 65_537],
    ]);
  });

  it('limits the calls of one answer', async () => {
    const toolCalls = Array.from({ length: 1_000 }, (_, index) =>
      ask('rate', `{"at":${index}}`, String(index)),
    );
    const model = scriptModel({ toolCalls }, { texts: ['Ok.'] });
    const tool = createFakeTool();
    const { outcome } = await runScriptedTurn(turnOf({ tools: TOOLS }), model, tool);
    expect([tool.requests.length, outcome.toolRuns.length]).toEqual([16, 64]);
    expect(outcome.toolRuns.at(-1)!.error).toMatch(/At most 16/);
  });
});

describe('a turn that fails while tools run', () => {
  it('aborts the remaining calls', async () => {
    const model = scriptModel({ toolCalls: [ask('rate'), ask('stock')] });
    const aborted = Promise.withResolvers<void>();
    const runTool: RunTool = async ({ name }: Partial<TurnTool>, _request, { signal }) => {
      if (name === 'rate') throw new Error('no database');
      signal.addEventListener('abort', () => aborted.resolve(), { once: true });
      return await new Promise<never>(() => {});
    };
    const running = runScriptedTurn(turnOf({ tools: TOOLS }), model, { runTool });
    await expect(running).rejects.toThrow('no database');
    await aborted.promise;
  });
});
