import { describe, expect, it } from '@jest/globals';
import { scriptModel } from '../../test/script-model.ts';
import { ask, createFakeTool, TOOLS } from '../../test/script-tool.ts';
import { runScriptedTurn, turnOf } from '../../test/script-turn.ts';

describe('tool results in the prompt', () => {
  it('are truncated to the budget, but not in the trace', async () => {
    const model = scriptModel({ toolCalls: [ask('rate')] }, { texts: ['Ok.'] });
    const bigResult = { rows: 'lorem ipsum '.repeat(5_000) };
    const turn = turnOf({ tools: TOOLS, contextTokens: 6_000 });
    const { outcome } = await runScriptedTurn(
      turn,
      model,
      createFakeTool(() => bigResult),
    );
    expect(outcome.toolRuns[0]!.result).toBe(JSON.stringify(bigResult));
    const shownText = JSON.stringify(model.calls[1]!.prompt.turns);
    expect(shownText).toMatch(/\[cut: these are the first \d+ of \d+ characters\]/);
    expect(shownText.length).toBeLessThan(10_000);
  });

  it('are truncated to the budget even if their beginning has more tokens', async () => {
    const model = scriptModel({ toolCalls: [ask('rate')] }, { texts: ['Ok.'] });
    const turn = turnOf({ tools: TOOLS, contextTokens: 6_000 });
    const text = '漢'.repeat(40_000) + 'a'.repeat(200_000);
    await runScriptedTurn(
      turn,
      model,
      createFakeTool(() => text),
    );
    const [result] = model.calls[1]!.prompt.turns.at(-1)!.parts;
    const shownText = JSON.stringify(result);
    expect(shownText).toMatch(/\[cut: /);
    expect(shownText.length).toBeLessThan(1_500);
  });

  it('use the budget that short results do not need', async () => {
    const names = ['rate', 'stock'] as const;
    const model = scriptModel({ toolCalls: names.map((name) => ask(name)) }, { texts: ['Ok.'] });
    const turn = turnOf({ tools: TOOLS, contextTokens: 6_000 });
    await runScriptedTurn(
      turn,
      model,
      createFakeTool(({ name }) => (name === 'rate' ? 1 : 'lorem '.repeat(2_000))),
    );
    const shownText = model.calls[1]!.prompt.turns.at(-1)!.parts.map((part) =>
      JSON.stringify(part),
    );
    expect(shownText[0]).not.toMatch(/cut:/);
    expect(shownText[1]!.length).toBeGreaterThan(3_000);
  });

  it('fit into a small window, however many they are', async () => {
    const toolCalls = Array.from({ length: 16 }, (_, index) =>
      ask('rate', `{"at":${index}}`, `c${index}`),
    );
    const model = scriptModel({ toolCalls }, { texts: ['Ok.'] });
    const turn = turnOf({ tools: TOOLS, contextTokens: 4_096 });
    const { outcome } = await runScriptedTurn(
      turn,
      model,
      createFakeTool(() => 'lorem ipsum '.repeat(5_000)),
    );
    expect(outcome.content).toBe('Ok.');
  });
});
