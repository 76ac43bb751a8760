import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConversationService, PanelService } from '@witan/contracts/services';
import { createGate, eventually } from '@witan/testing';
import { optionsFor } from './open-agents.ts';
import { openCouncil } from './open-council.ts';
import type { TestCouncil } from './open-council.ts';
import type { GatewayCall } from './fake-gateway.ts';

const LEVERS = [
  { name: 'price', description: 'Change of price', min: -0.1, max: 0.1, defaultValue: 0 },
  { name: 'staff', description: '', min: -0.25, max: 0.25, defaultValue: 0 },
];
const ISSUE = { id: 'i1', proposition: 'We should grow.', weight: 1 };
const ANSWER_TEXTS = { content: 'So be it.', position: 'So be it.', keyPoints: [] };

let council: TestCouncil;
let workspaceId = '';
let answer: (call: GatewayCall) => Promise<object>;

beforeAll(async () => {
  council = await openCouncil((call) => answer(call));
});
afterAll(async () => {
  await council[Symbol.asyncDispose]();
});
beforeEach(async () => {
  workspaceId = await council.createWorkspace(['Growth', 'Thrift', 'Craft']);
});

const answerWithStance = (stance: number, levers: object) => ({
  ...ANSWER_TEXTS,
  stances: [{ issue: 'i1', stance, confidence: 0.8 }],
  levers,
});
const makePanelRequest = (more: object = {}) => ({
  key: 'sim_1:1',
  owner: 'sim_1',
  question: 'What now?',
  levers: LEVERS,
  issues: [ISSUE],
  ...more,
});
const panels = (replica = 0) => council.replicas[replica]!.clientOf(PanelService);

describe('a panel', () => {
  it('decides on levers within their bounds, without a model call for the synthesis', async () => {
    answer = async ({ slug }) =>
      slug === 'growth'
        ? answerWithStance(1, { price: 0.5 })
        : answerWithStance(1, { price: -0.02, staff: 0.1 });
    const { decisions, convergenceScore, proofIds, rounds } = await panels().holdPanel(
      makePanelRequest(),
      optionsFor(workspaceId),
    );
    const decided = Object.fromEntries(
      decisions.map((decision) => [decision.agentName, decision.levers]),
    );
    expect(decided).toEqual({
      Growth: { price: 0.1, staff: 0 },
      Thrift: { price: -0.02, staff: 0.1 },
      Craft: { price: -0.02, staff: 0.1 },
    });
    expect(decisions.map(({ confidence }) => confidence)).toEqual([0.8, 0.8, 0.8]);
    expect([convergenceScore, rounds.length]).toEqual([1, 1]);
    // The only calls are the answers of three agents: no framing, because the caller named the
    // issues.
    expect(council.gateway.calls.map(({ purpose }) => purpose)).toEqual([
      'debate',
      'debate',
      'debate',
    ]);
    expect(proofIds.toSorted()).toEqual(
      council.gateway.calls.map(({ proofId }) => proofId).toSorted(),
    );
    // Without bounds, which weak models copy.
    const { prompt } = council.gateway.calls[0]!;
    expect(prompt).toContain('"price":{"type":"number","default":0}');
    expect(prompt).toContain('- price (now 0): ');
  });

  it('runs once per key, on any replica', async () => {
    answer = async () => answerWithStance(1, { price: 0.01 });
    const pendingPanels = [0, 1, 0, 1].map((replica) =>
      panels(replica).holdPanel(makePanelRequest(), optionsFor(workspaceId)),
    );
    const answers = await Promise.all(pendingPanels);
    const repeatedPanel = await panels(1).holdPanel(makePanelRequest(), optionsFor(workspaceId));
    expect(new Set([...answers, repeatedPanel].map(({ panelId }) => panelId)).size).toBe(1);
    expect(repeatedPanel.decisions).toEqual(answers[0]!.decisions);
    expect(council.gateway.calls).toHaveLength(3);
  });

  it('is local-only at the request of its caller, and reports it', async () => {
    answer = async () => answerWithStance(1, { price: 0.01 });
    for (const staysLocal of [false, true]) {
      council.gateway.calls.length = 0;
      const request = makePanelRequest({ key: `sim_1:${staysLocal}`, staysLocal });
      const panel = await panels().holdPanel(request, optionsFor(workspaceId));
      expect(panel.staysLocal).toBe(staysLocal);
      const calls = council.gateway.calls.map(({ isSensitive }) => isSensitive);
      expect(calls).toEqual([staysLocal, staysLocal, staysLocal]);
    }
  });

  it('is distinct per owner, and its key is rejected for another question', async () => {
    answer = async () => answerWithStance(1, { price: 0.01 });
    const first = await panels().holdPanel(makePanelRequest(), optionsFor(workspaceId));
    const other = await panels().holdPanel(
      makePanelRequest({ owner: 'sim_2' }),
      optionsFor(workspaceId),
    );
    expect(other.panelId).not.toBe(first.panelId);
    await expect(
      panels().holdPanel(makePanelRequest({ question: 'And now?' }), optionsFor(workspaceId)),
    ).rejects.toMatchObject({ reason: 'CONFLICT', fields: { code: 'panel_key_reused' } });
  });

  it('is not reused for a local-only question, because hosted models may have decided', async () => {
    answer = async () => answerWithStance(1, { price: 0.01 });
    await panels().holdPanel(makePanelRequest(), optionsFor(workspaceId));
    const localPanel = makePanelRequest({ staysLocal: true });
    await expect(panels(1).holdPanel(localPanel, optionsFor(workspaceId))).rejects.toMatchObject({
      reason: 'CONFLICT',
      fields: { code: 'panel_key_reused' },
    });
    await panels().holdPanel(makePanelRequest({ staysLocal: false }), optionsFor(workspaceId));
    expect(council.gateway.calls).toHaveLength(3);
  });

  it('is deleted with its owner', async () => {
    answer = async () => answerWithStance(1, { price: 0.01 });
    const first = await panels().holdPanel(makePanelRequest(), optionsFor(workspaceId));
    await panels().deletePanels({ owner: 'sim_1' }, optionsFor(workspaceId));
    const repeatedPanel = await panels().holdPanel(makePanelRequest(), optionsFor(workspaceId));
    expect(repeatedPanel.panelId).not.toBe(first.panelId);
    expect(council.gateway.calls).toHaveLength(6);
  });

  it('continues without agents that do not answer, and lists them', async () => {
    answer = async ({ slug }) => {
      if (slug === 'craft') throw new Error('no model');
      return answerWithStance(1, { price: 0.01 });
    };
    const { decisions, absentAgents } = await panels().holdPanel(
      makePanelRequest(),
      optionsFor(workspaceId),
    );
    expect([decisions.length, absentAgents]).toEqual([2, ['Craft']]);
  });

  it('lists all agents as absent if every call fails', async () => {
    answer = async () => Promise.reject(new Error('no model'));
    const leased = await panels().holdPanel(makePanelRequest(), optionsFor(workspaceId));
    expect(leased).toMatchObject({ decisions: [], convergenceScore: 0 });
    expect(leased.absentAgents.toSorted()).toEqual(['Craft', 'Growth', 'Thrift']);
    expect(leased.failure).toContain('0 of 3 agents');
    expect(leased.failure).not.toMatch(/conversation|send the message/u);
    // The result of a failed panel is stored, so a repeated request returns it without a model
    // call.
    const { length } = council.gateway.calls;
    expect(await panels(1).holdPanel(makePanelRequest(), optionsFor(workspaceId))).toEqual(leased);
    expect(council.gateway.calls).toHaveLength(length);
  });

  it('lists absent agents if too few answer', async () => {
    answer = async ({ slug }) => {
      if (slug !== 'craft') throw new Error('no model');
      return answerWithStance(1, { price: 0.01 });
    };
    const { decisions, absentAgents } = await panels().holdPanel(
      makePanelRequest(),
      optionsFor(workspaceId),
    );
    expect([decisions, absentAgents.toSorted()]).toEqual([[], ['Growth', 'Thrift']]);
  });

  it.each([
    ['a duplicate lever', { levers: [LEVERS[0], LEVERS[0]] }, /twice/],
    ['a default out of bounds', { levers: [{ ...LEVERS[0], defaultValue: 1 }] }, /default/],
    [
      'a lever whose description is not valid text',
      { levers: [{ ...LEVERS[0], description: 'a\0' }] },
      /levers/,
    ],
    ['a duplicate issue', { issues: [ISSUE, ISSUE] }, /id twice/],
    [
      'an issue id that starts with a capital',
      { issues: [{ ...ISSUE, id: 'A1' }] },
      /begins small/,
    ],
    ['an issue without weight', { issues: [{ ...ISSUE, weight: 0 }] }, /weight/],
    ['an issue without a proposition', { issues: [{ ...ISSUE, proposition: ' ' }] }, /proposition/],
    ['no key', { key: '' }, /key/],
    ['no question', { question: ' ' }, /empty/],
    ['an unpaired surrogate', { question: 'a\ud800' }, /character/],
    ['an unknown agent', { agentIds: ['agt_none'] }, /no agent/],
    ['six rounds', { maxRounds: 6 }, /maxRounds/],
  ])('is rejected with %s', async (_what, more, message) => {
    await expect(
      panels().holdPanel(makePanelRequest(more), optionsFor(workspaceId)),
    ).rejects.toThrow(message);
  });
});

describe('a debate with an idempotency key', () => {
  const conversations = () => council.replicas[0].clientOf(ConversationService);
  const runDebate = async (
    proofId: string,
  ): Promise<{ debateId: string; last: string | undefined }> => {
    const { conversationId } = asked;
    const request = { conversationId, content: 'What now?', proofId };
    let last;
    for await (const event of conversations().holdDebate(request, optionsFor(workspaceId)))
      last = event;
    return { debateId: last?.debateId ?? '', last: last?.event.case };
  };
  let asked: { conversationId: string };
  beforeEach(async () => {
    const draft = { title: 'Now', userId: 'usr_1' };
    const { conversation } = await conversations().createConversation(
      draft,
      optionsFor(workspaceId),
    );
    asked = { conversationId: conversation!.id };
  });

  it('is the same debate if the call is repeated', async () => {
    answer = async ({ purpose }) =>
      purpose === 'extraction' ? { issues: [] } : answerWithStance(1, {});
    const first = await runDebate('pf_one');
    const { length } = council.gateway.calls;
    expect(await runDebate('pf_one')).toEqual(first);
    expect(first).toEqual({ debateId: 'dbt_one', last: 'done' });
    expect(council.gateway.calls).toHaveLength(length);
  });

  it('streams answers only if a client wants deltas', async () => {
    answer = async ({ purpose }) =>
      purpose === 'debate' ? answerWithStance(1, {}) : { issues: [] };
    for (const streamed of [false, true]) {
      council.gateway.calls.length = 0;
      const request = { conversationId: asked.conversationId, content: 'What now?', streamed };
      let last;
      for await (const item of conversations().holdDebate(request, optionsFor(workspaceId)))
        last = item;
      expect(last?.event.case).toBe('done');
      const answers = council.gateway.calls.filter(({ slug }) => slug !== '');
      expect(answers.map(({ isStreamed }) => isStreamed)).toEqual(answers.map(() => streamed));
      expect(answers).not.toHaveLength(0);
    }
  });

  it('is a new debate if the first one failed', async () => {
    answer = async () => Promise.reject(new Error('no model'));
    const first = await runDebate('pf_two');
    answer = async () => answerWithStance(1, {});
    const second = await runDebate('pf_two');
    expect([first.last, second.last]).toEqual(['failed', 'done']);
    expect(second.debateId).not.toBe(first.debateId);
  });

  it('continues on another replica when its own stops, without repeating calls', async () => {
    let beginCount = 0;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    answer = async ({ purpose }) => {
      if (purpose !== 'debate') return { issues: [] };
      beginCount += 1;
      // The first agent answers immediately; the others answer while their replica is stopping.
      if (beginCount > 1) await released;
      return answerWithStance(1, {});
    };
    const third = await council.openReplica();
    const request = {
      conversationId: asked.conversationId,
      content: 'Go on?',
      proofId: 'pf_three',
    };
    const following = (async () => {
      const client = third.clientOf(ConversationService);
      for await (const event of client.holdDebate(request, optionsFor(workspaceId))) {
        if (event.event.case === 'agentCompleted') return;
      }
    })();
    await following;
    const stopping = third[Symbol.asyncDispose]();
    release();
    await stopping;
    const { last } = await runDebate('pf_three');
    expect(last).toBe('done');
    const agentsAsked = council.gateway.calls
      .filter(({ slug }) => slug !== '')
      .map(({ slug }) => slug);
    expect(agentsAsked.toSorted()).toEqual(['craft', 'growth', 'thrift']);
  });

  it('is followed to its end even after an event number that does not exist', async () => {
    const gate = createGate();
    answer = async ({ purpose }) => {
      if (purpose === 'debate') await gate.pass();
      return purpose === 'debate' ? answerWithStance(1, {}) : { issues: [] };
    };
    const running = runDebate('pf_four');
    await eventually(() => council.gateway.calls.some(({ purpose }) => purpose === 'debate'));
    const following = { ...asked, debateId: 'dbt_four', afterSeq: 2 ** 32 - 1 };
    const lastEvent = (async () => {
      let last;
      for await (const event of conversations().followDebate(following, optionsFor(workspaceId)))
        last = event;
      return last?.event.case;
    })();
    const position = { ...asked, debateId: 'dbt_four' };
    for await (const _ of conversations().followDebate(position, optionsFor(workspaceId))) break;
    gate.open();
    expect([(await running).last, await lastEvent]).toEqual(['done', 'done']);
  });
});
