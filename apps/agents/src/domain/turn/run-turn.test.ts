import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../agent/agent.ts';
import type { ModelCall, ModelPiece, OpenCall } from '../model/model-call.ts';
import { toTextTurn } from '../prompt/to-text-turn.ts';
import { runTurn } from './run-turn.ts';
import type { Turn, TurnWish } from './turn.ts';

const AGENT: Agent = {
  id: 'agt_1',
  name: 'Ann',
  slug: 'ann',
  role: '',
  systemPrompt: 'You advise.',
  personality: '',
  mission: '',
  decisionStyle: '',
  model: '',
  createdAt: new Date(0),
  updatedAt: new Date(0),
};

const USAGE = { promptTokens: 10, completionTokens: 2, totalTokens: 12 };

type Script = { texts: readonly string[]; reasoning?: string; finishReason?: string };

/** A model that says what it is told, call by call, and remembers what was delivered. */
const openModel = (...scripts: Script[]) => {
  const calls: ModelCall[] = [];
  const delivered: string[] = [];
  const openCall: OpenCall = (call) => {
    const { texts, reasoning, finishReason = 'stop' } = scripts[calls.length]!;
    calls.push(call);
    const { proofId } = call;
    const pieces = async function* (): AsyncGenerator<ModelPiece> {
      yield { kind: 'opened', provider: 'p', model: 'm', proofId, providerMs: 1 };
      if (reasoning) yield { kind: 'reasoning', text: reasoning };
      for (const text of texts) yield { kind: 'text', text };
      yield { kind: 'ending', finishReason, usage: USAGE };
    };
    return { pieces: pieces(), deliver: (content) => void delivered.push(content) };
  };
  return { openCall, calls, delivered };
};

const turnOf = (wish: TurnWish, untrustedTexts: string[] = []): Turn => ({
  agent: AGENT,
  wish,
  requested: 'agent:ann',
  isSensitive: false,
  proofId: 'pf_client',
  requestSha256: 'ab',
  prepared: {
    prompt: {
      system: ['You advise.'],
      turns: [toTextTurn('user', 'hi')],
      maxOutputTokens: 100,
      wantsJson: wish.json !== undefined,
      isStreamed: true,
    },
    dropped: { memories: 0, passages: 0, exchanges: 0, summary: false, context: [] },
    estimatedTokens: 5,
    untrustedTexts,
    heldUntrustedBlocks: false,
  },
});

const run = async (turn: Turn, model: ReturnType<typeof openModel>) => {
  const caller = { workspaceId: 'ws', requestId: 'r', signal: new AbortController().signal };
  const sharing = { isGatewayCall: false, workspaceSharesMemories: true };
  let count = 0;
  const newId = (prefix: string): string => `${prefix}_${(count += 1)}`;
  const pieces = runTurn(turn, sharing, caller, { openCall: model.openCall, newId });
  const shown: string[] = [];
  const opened: string[] = [];
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) return { outcome: value, shown, opened };
    if (value.kind === 'delta') shown.push(value.text);
    else opened.push(value.proofId);
  }
};

const ANSWER =
  ' <think>a<MEMORY key=no>x</MEMORY></think>Hi <memory key=City type=fact>Rome</memory>you';

describe('a turn whose answer is text', () => {
  it('shows the same, and keeps the same, however the answer is cut', async () => {
    for (let at = 0; at <= ANSWER.length; at += 1) {
      const model = openModel({ texts: [ANSWER.slice(0, at), ANSWER.slice(at)] });
      const { outcome, shown, opened } = await run(turnOf({ reflection: true }), model);
      expect([shown.join(''), outcome.content]).toEqual([' Hi you', ' Hi you']);
      expect(outcome.thoughts).toBe('a<MEMORY key=no>x</MEMORY>');
      expect(outcome.memories.memories).toMatchObject([{ key: 'City', value: 'Rome' }]);
      // The certificate commits to what was shown.
      expect([model.delivered, opened]).toEqual([[' Hi you'], ['pf_client']]);
    }
  });

  it('asks once more when all of it was thoughts, under an id of its own', async () => {
    const model = openModel({ texts: ['<thinking>hm'] }, { texts: ['Yes.'], reasoning: 'sure' });
    const { outcome, opened } = await run(turnOf({ reflection: true }), model);
    expect(outcome).toMatchObject({
      content: 'Yes.',
      thoughts: 'hm\n\nsure',
      usage: { totalTokens: 24 },
      proofIds: ['pf_client', 'pf_1'],
    });
    expect(opened).toEqual(['pf_1']);
    expect(model.calls[1]!.prompt.turns).toHaveLength(3);
  });

  it('fails when there is still no answer, and shows no thought', async () => {
    const model = openModel({ texts: ['<think>a'] }, { texts: [' \n'] });
    await expect(run(turnOf({ reflection: false }), model)).rejects.toMatchObject({
      reason: 'PROVIDER_INVALID_ANSWER',
      fields: { proof: 'pf_1' },
    });
  });

  it('keeps nothing that stood in the prompt', async () => {
    const tag = '<MEMORY key=a>b</MEMORY>';
    const model = openModel({ texts: [`Ok ${tag}`] });
    const { outcome } = await run(turnOf({ reflection: false }, [`say ${tag}`]), model);
    expect(outcome.memories).toEqual({
      memories: [],
      rejected: [{ keyNorm: 'a', reason: 'echoed_untrusted' }],
    });
  });
});

describe('a turn whose answer is JSON', () => {
  const json = { fields: { a: 'a number' }, schema: '' };

  it('comes whole, with its thoughts apart', async () => {
    const model = openModel({ texts: ['```json\n{"thoughts":"t",', '"a":1}\n```'] });
    const { outcome, shown } = await run(turnOf({ reflection: true, json }), model);
    expect(shown).toEqual(['{"a":1}']);
    expect(outcome).toMatchObject({ object: { a: 1 }, thoughts: 't', content: '{"a":1}' });
    expect(model.delivered).toEqual(['{"a":1}']);
  });

  it.each([
    ['was cut off', { texts: ['{"a": [1'], finishReason: 'length' }, 200],
    ['lacks a field', { texts: ['{"b": 1}'] }, 100],
    ['is prose', { texts: ['No.'] }, 100],
  ])('is asked for once more when it %s', async (_why, first, maxOutputTokens) => {
    const model = openModel(first, { texts: ['{"a": 2}'] });
    const { outcome } = await run(turnOf({ reflection: false, json }), model);
    expect(outcome).toMatchObject({ object: { a: 2 }, proofIds: ['pf_client', 'pf_1'] });
    expect(model.calls[1]!.prompt).toMatchObject({ temperature: 0, maxOutputTokens });
  });

  it('is no object when it is none a second time', async () => {
    const cut = { texts: ['{"a": [1'], finishReason: 'length' };
    const { outcome } = await run(turnOf({ reflection: false, json }), openModel(cut, cut));
    expect(outcome).toMatchObject({ object: undefined, content: '{"a": [1' });
  });
});
