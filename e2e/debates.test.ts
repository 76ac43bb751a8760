import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { expectNativeRefusal } from './expect-refusal.ts';
import type { Answer } from './http-client.ts';
import { openConversations } from './open-conversations.ts';
import type { Conversations, Debate } from './open-conversations.ts';
import { NO_RESPONSE, createScriptedCouncil } from './scripted-council.ts';
import type { CouncilScript, ScriptedOutput, AgentAnswer } from './scripted-council.ts';

// The tests in this file check prompts and results of debates, which do not depend on the transport
// between services, so they run over one transport only.

const AGENT_TIMEOUT_MS = 1_500;
const ISSUES = [
  { id: 'x', proposition: 'The company should open a second shop.', weight: 2 },
  { id: 'y', proposition: 'The company can pay for a second shop.', weight: 1 },
];
const NAMES = ['Craft', 'Doubt', 'Growth', 'Habit', 'Thrift'];

const toPersona = (name: string) => ({
  name,
  systemPrompt: `The persona of ${name}.`,
  model: 'gpt-test',
});

describe('a debate', () => {
  let conversations: Conversations;
  let currentScript: CouncilScript;
  const council = createScriptedCouncil(() => currentScript);

  beforeAll(async () => {
    conversations = await openConversations({
      transport: 'in-process',
      fallback: council.script,
      env: { WITAN_DEBATE_AGENT_TIMEOUT_MS: String(AGENT_TIMEOUT_MS) },
    });
  });
  afterAll(async () => {
    await conversations[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    council.calls.length = 0;
    question += 1;
  });

  // Number in the question, which makes it unique, because the framing is cached by question.
  let question = 0;
  const requestDebate = async (
    answerOf: CouncilScript['answerOf'],
    { names = NAMES, ...more }: { names?: string[] } & Partial<CouncilScript> = {},
  ): Promise<Answer> => {
    currentScript = { issues: ISSUES, answerOf, ...more };
    const chair = await conversations.createClient(names.map(toPersona));
    const id = await chair.createConversation();
    return chair.ask(id, {}, `Shall we open a second shop (${question})?`);
  };
  const runDebate = async (...args: Parameters<typeof requestDebate>): Promise<Debate> => {
    const { status, text, json } = await requestDebate(...args);
    expect([status, text]).toEqual([200, expect.any(String)]);
    return json as Debate;
  };
  const agentCallsOf = (round: number) =>
    council.calls.filter((call) => call.kind === 'agent' && call.number === round);
  const withOpponents =
    (
      opponents: readonly string[],
      more: (name: string, round: number) => Partial<AgentAnswer> = () => ({}),
    ) =>
    (name: string, round: number): ScriptedOutput => ({
      stances: { i1: opponents.includes(name) ? -1 : 1, i2: 0.5 },
      ...more(name, round),
    });

  describe('in its prompts', () => {
    it('is independent in the first round and anonymous in the second', async () => {
      await runDebate(withOpponents(['Doubt']), { delayMs: 40 });
      expect(
        agentCallsOf(1)
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(NAMES);
      for (const { prompt, name } of agentCallsOf(1)) {
        expect(prompt).toContain(`The persona of ${name}.`);
        expect(prompt).toContain('[i1] The company should open a second shop.');
        expect(prompt).not.toContain('--- OTHERS ---');
        expect(prompt).not.toMatch(/This is the (position|point|content)/);
      }
      expect(
        agentCallsOf(2)
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(NAMES);
      for (const { prompt, name } of agentCallsOf(2)) {
        const [own = '', others = ''] = prompt.split('--- OTHERS ---');
        expect(own).toContain(`This is the position of ${name}.`);
        expect(others).not.toContain(`This is the position of ${name}.`);
        for (const other of NAMES.filter((one) => one !== name)) {
          expect(others).toContain(`This is the position of ${other}.`);
          expect(own).not.toContain(other);
        }
        expect(others.match(/^Group \d+:$/gm)).toHaveLength(name === 'Doubt' ? 1 : 2);
        // Prompts contain no name of another agent, except where the text of an answer names its
        // author.
        expect(others.replaceAll(/This is the \w+ of \w+\./g, '')).not.toMatch(
          new RegExp(NAMES.join('|')),
        );
      }
    });

    it('sends the question to every model unchanged, including code and data', async () => {
      currentScript = { issues: ISSUES, answerOf: withOpponents(['Doubt']) };
      const chair = await conversations.createClient(NAMES.map(toPersona));
      const code = '```py\nclass Victor: pass\n```\n{"sam": "istanbul",  "id": 1726060062403}';
      await chair.ask(
        await chair.createConversation(),
        {},
        `Shall we ship this (${question})?\n${code}`,
      );
      expect(new Set(council.calls.map(({ kind }) => kind)).size).toBe(3);
      for (const { prompt } of council.calls) expect(prompt).toContain(code);
    });

    it('runs the calls of a round concurrently', async () => {
      await runDebate(withOpponents(['Doubt']), { delayMs: 60 });
      for (const round of [1, 2]) {
        const calls = agentCallsOf(round);
        const lastStart = Math.max(...calls.map(({ startedAt }) => startedAt));
        expect(lastStart).toBeLessThan(Math.min(...calls.map(({ endedAt }) => endedAt)));
      }
    });

    it('takes one round if it is unanimous: framing, agents, synthesis', async () => {
      const { convergenceScore, debates } = await runDebate(withOpponents([]));
      expect(convergenceScore).toBe(1);
      expect(debates).toHaveLength(1);
      expect(council.calls).toHaveLength(NAMES.length + 2);
    });

    it('ends when no agent moves, before its last round', async () => {
      const { debates, convergenceScore } = await runDebate(withOpponents(['Doubt']));
      expect(debates).toHaveLength(2);
      expect(convergenceScore).toBeLessThan(0.85);
    });

    it('frames the same question of a workspace once', async () => {
      currentScript = { issues: ISSUES, answerOf: withOpponents([]) };
      const chair = await conversations.createClient([toPersona('Growth')]);
      for (const id of [await chair.createConversation(), await chair.createConversation()]) {
        expect((await chair.ask(id, {}, 'Shall we open a third shop?')).status).toBe(200);
      }
      expect(council.calls.filter(({ kind }) => kind === 'frame')).toHaveLength(1);
    });
  });

  describe('with failures', () => {
    it.each<[string, ScriptedOutput]>([
      ['hangs', NO_RESPONSE],
      ['gets 500', { status: 500 }],
    ])('continues without an agent that %s, and names it', async (_name, failure) => {
      const { debates, synthesis, messages } = await runDebate((name, round) =>
        name === 'Doubt' ? failure : withOpponents([])(name, round),
      );
      expect(debates).toMatchObject([{ participation: 0.8, convergenceScore: 1 }]);
      expect(synthesis).toMatchObject({ absentAgents: ['Doubt'] });
      expect(messages.at(-1)!.content).toContain('Doubt');
      expect(messages.map(({ agentName }) => agentName)).not.toContain('Doubt');
    });

    it.each<[string, ScriptedOutput, string]>([
      ['nothing', '', 'empty answer'],
      ['nothing before its limit', { text: '', finishReason: 'length' }, 'answer cut off'],
      ['nothing after a filter', { text: '', finishReason: 'content_filter' }, 'answer cut off'],
      ['JSON cut before any text', { text: '{"cont', finishReason: 'length' }, 'answer cut off'],
      ['JSON of another shape', '{"verdict":"no"}', 'could not be read: these are missing: '],
    ])('fails if all agents return %s, and says so', async (_name, play, problem) => {
      const answer = await requestDebate(() => play);
      expectNativeRefusal(answer, { status: 502, code: 'debate_failed', type: 'server_error' });
      expect(answer.text).toContain(`0 of 5 agents`);
      expect(answer.text).toContain(`Doubt (${problem}`);
      expect(council.calls.filter(({ kind }) => kind === 'synthesis')).toEqual([]);
    });

    it('continues without an agent that returns nothing, and excludes it from the count', async () => {
      const emptyOutput: ScriptedOutput = { text: '', finishReason: 'length' };
      const { debates, synthesis, messages } = await runDebate((name, round) =>
        name === 'Doubt' ? emptyOutput : withOpponents([])(name, round),
      );
      expect(debates).toMatchObject([{ participation: 0.8 }]);
      expect(synthesis).toMatchObject({ absentAgents: ['Doubt'] });
      expect(messages.map(({ agentName }) => agentName)).not.toContain('Doubt');
      expect(messages.every(({ content }) => content.trim() !== '')).toBe(true);
    });

    it('shows the text of a truncated answer, marked as cut, and no JSON', async () => {
      const truncatedOutput: ScriptedOutput = {
        text: '{"content":"I doubt it, becau',
        finishReason: 'length',
      };
      const { messages } = await runDebate((name, round) =>
        name === 'Doubt' ? truncatedOutput : withOpponents([])(name, round),
      );
      const messageOf = (name: string) => messages.find(({ agentName }) => agentName === name);
      expect(messageOf('Doubt')).toMatchObject({
        content: 'I doubt it, becau',
        finishReason: 'length',
        stances: [],
      });
      expect(messageOf('Growth')).toMatchObject({ finishReason: 'stop' });
      expect(messages.at(-1)!.content).not.toContain('{');
    });

    it('stores the prose of an agent that returns only prose, without a stance', async () => {
      const { messages, debates } = await runDebate((name, round) =>
        name === 'Doubt' ? 'I like shops.' : withOpponents([])(name, round),
      );
      const answer = messages.find(({ agentName }) => agentName === 'Doubt')!;
      expect(answer).toMatchObject({ content: 'I like shops.' });
      expect(answer.stances ?? []).toEqual([]);
      expect(debates[0]).toMatchObject({ convergenceScore: 1, participation: 0.8 });
      expect(agentCallsOf(2).map(({ name, prompt }) => [name, prompt])).toEqual([
        ['Doubt', expect.stringContaining('it held no JSON object')],
      ]);
      expect(answer.proofs).toHaveLength(2);
    });

    it('lists agents with prose answers as without a stance, whatever the synthesis claims', async () => {
      const claimedSynthesis = 'Everybody supports [i1].';
      const { synthesis, messages } = await runDebate(
        (name, round) =>
          name === 'Doubt' ? 'No. I am clearly against it.' : withOpponents([])(name, round),
        { synthesis: () => claimedSynthesis },
      );
      expect(synthesis).toMatchObject({
        withoutStance: [{ id: expect.any(String), name: 'Doubt' }],
        dissent: [],
        fromTemplate: true,
      });
      const synthesisCalls = council.calls.filter(({ kind }) => kind === 'synthesis');
      expect(synthesisCalls[1]!.prompt).toContain('it says "Everybody supports"');
      const { content } = messages.at(-1)!;
      expect(content).toContain('- Doubt: “No. I am clearly against it.”');
      expect(content).not.toContain('Everybody');
    });

    it('asks for the vote again if a statement contradicts it, and names it if it stays', async () => {
      const content = 'No, we should not open a second shop.';
      const { synthesis, messages } = await runDebate(
        withOpponents([], (name) => (name === 'Doubt' ? { content } : {})),
      );
      expect(agentCallsOf(2).map(({ name, prompt }) => [name, prompt])).toEqual([
        ['Doubt', expect.stringContaining(`You have answered: “${content}”`)],
      ]);
      expect(synthesis).toMatchObject({
        contradictions: [
          { agentName: 'Doubt', issueId: 'i1', statement: content, says: 'against', votes: 'for' },
        ],
      });
      expect(messages.at(-1)!.content).toContain(`- Doubt says “${content}”, and votes for`);
    });

    it('rejects a synthesis that calls supporters dissenters', async () => {
      const claimedSynthesis = 'Dissent: [A], [B], [C], [D], [E].';
      const { synthesis, messages } = await runDebate(withOpponents(['Doubt']), {
        synthesis: () => claimedSynthesis,
      });
      expect(synthesis).toMatchObject({ fromTemplate: true });
      expect(messages.at(-1)!.content).toMatch(/^- Doubt, against/mu);
      expect(messages.at(-1)!.content.match(/^- /gmu)).toHaveLength(1);
    });

    it('reuses an answer once for an agent that is late in a later round', async () => {
      const { messages, debates } = await runDebate((name, round) => {
        if (name === 'Doubt' && round > 1) return NO_RESPONSE;
        // The debate would end early if no agent changed its stance.
        const hasMoved = name === 'Growth' && round > 1;
        return withOpponents(['Doubt'], () => (hasMoved ? { stances: { i1: 0.5, i2: 0.5 } } : {}))(
          name,
          round,
        );
      });
      const lateMessages = messages.filter(({ agentName }) => agentName === 'Doubt');
      expect(lateMessages.map((one) => ('stale' in one ? one.stale : false))).toEqual([
        false,
        true,
      ]);
      expect(debates.map((round) => (round as { participation?: number }).participation)).toEqual([
        1, 0.8, 0.8,
      ]);
    });

    it('fails if no agent answers any more, instead of counting that as agreement', async () => {
      const answer = await requestDebate((name, round) =>
        round > 1 ? NO_RESPONSE : withOpponents(['Doubt'])(name, round),
      );
      expectNativeRefusal(answer, { status: 502, code: 'debate_failed', type: 'server_error' });
      expect(answer.text).toContain('0 of 5 agents');
    });

    it('fails below the quorum: the answers are stored, and no synthesis is written', async () => {
      const answer = await requestDebate((name, round) =>
        name === 'Growth' ? withOpponents([])(name, round) : { status: 500 },
      );
      expectNativeRefusal(answer, { status: 502, code: 'debate_failed', type: 'server_error' });
      expect(council.calls.filter(({ kind }) => kind === 'synthesis')).toEqual([]);
    });
  });

  describe('with a wrong majority', () => {
    const EVIDENCE = 'The lease of the second shop ends in March, 3 weeks before it opens.';
    const withWrongMajority = (changeReason: string | null) =>
      withOpponents(['Doubt'], (name, round) => {
        if (name === 'Doubt') return { keyPoints: [{ id: 'lease', text: EVIDENCE }] };
        // The agent `Habit` adopts the majority's stance in the second round.
        const hasFlipped = name === 'Habit' && round > 1;
        if (name !== 'Habit') return {};
        return {
          stances: { i1: hasFlipped ? 1 : -0.5, i2: 0.5 },
          changedMind: hasFlipped,
          changeReason: hasFlipped ? changeReason : null,
        };
      });

    it('names the minority and its argument verbatim', async () => {
      const { synthesis, messages } = await runDebate(withWrongMajority(null));
      const dissent = synthesis.dissent.find(({ agents }) =>
        agents.some((a) => a.name === 'Doubt'),
      );
      expect(dissent).toMatchObject({ strongestPoint: EVIDENCE, strongestPointId: 'lease' });
      const answer = messages.findLast(({ agentName }) => agentName === 'Doubt')!;
      expect(answer.keyPoints).toEqual([{ id: 'lease', text: EVIDENCE }]);
      expect(messages.at(-1)!.content).toContain(EVIDENCE);
      expect(messages.at(-1)!.content).toContain('Doubt');
    });

    it.each([
      ['gives no reason', null, 1],
      ['names what moved it', 'The rent was agreed yesterday.', 0],
    ])('counts agents that move and %s', async (_name, reason, flips) => {
      const { debates } = await runDebate(withWrongMajority(reason));
      expect(debates.at(-1)).toMatchObject({ conformityFlips: flips });
    });
  });
});
