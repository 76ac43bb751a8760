import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConversationService, PanelService } from '@witan/contracts/services';
import { createGate, eventually } from '@witan/testing';
import { as } from './open-agents.ts';
import { openCouncil } from './open-council.ts';
import type { TestCouncil } from './open-council.ts';
import type { GatewayCall } from './play-gateway.ts';

const LEVERS = [
  { name: 'price', description: 'Change of price', min: -0.1, max: 0.1, defaultValue: 0 },
  { name: 'staff', description: '', min: -0.25, max: 0.25, defaultValue: 0 },
];
const ISSUE = { id: 'i1', proposition: 'We should grow.', weight: 1 };
const WORDS = { content: 'So be it.', position: 'So be it.', keyPoints: [] };

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
  workspaceId = await council.gather(['Growth', 'Thrift', 'Craft']);
});

const stand = (stance: number, levers: object) => ({
  ...WORDS,
  stances: [{ issue: 'i1', stance, confidence: 0.8 }],
  levers,
});
const ask = (more: object = {}) => ({
  key: 'sim_1:1',
  owner: 'sim_1',
  question: 'What now?',
  levers: LEVERS,
  issues: [ISSUE],
  ...more,
});
const panels = (replica = 0) => council.replicas[replica]!.clientOf(PanelService);

describe('a panel', () => {
  it('decides on levers, each within its bounds, and asks nobody for a synthesis', async () => {
    answer = async ({ slug }) =>
      slug === 'growth' ? stand(1, { price: 0.5 }) : stand(1, { price: -0.02, staff: 0.1 });
    const { decisions, convergenceScore, proofIds, rounds } = await panels().holdPanel(
      ask(),
      as(workspaceId),
    );
    const decided = Object.fromEntries(decisions.map((one) => [one.agentName, one.levers]));
    expect(decided).toEqual({
      Growth: { price: 0.1, staff: 0 },
      Thrift: { price: -0.02, staff: 0.1 },
      Craft: { price: -0.02, staff: 0.1 },
    });
    expect(decisions.map(({ confidence }) => confidence)).toEqual([0.8, 0.8, 0.8]);
    expect([convergenceScore, rounds.length]).toEqual([1, 1]);
    // The question was framed by its caller: three members, and nothing else.
    expect(council.gateway.calls.map(({ purpose }) => purpose)).toEqual([
      'debate',
      'debate',
      'debate',
    ]);
    expect(proofIds.toSorted()).toEqual(
      council.gateway.calls.map(({ proofId }) => proofId).toSorted(),
    );
    expect(council.gateway.calls[0]!.prompt).toContain('lever price: -0.1..0.1, default 0');
  });

  it('is held once for all who ask by its key, and by any replica', async () => {
    answer = async () => stand(1, { price: 0.01 });
    const asked = [0, 1, 0, 1].map((replica) => panels(replica).holdPanel(ask(), as(workspaceId)));
    const answers = await Promise.all(asked);
    const again = await panels(1).holdPanel(ask(), as(workspaceId));
    expect(new Set([...answers, again].map(({ panelId }) => panelId)).size).toBe(1);
    expect(again.decisions).toEqual(answers[0]!.decisions);
    expect(council.gateway.calls).toHaveLength(3);
  });

  it('stays on the machine when its caller says so, and says that it did', async () => {
    answer = async () => stand(1, { price: 0.01 });
    for (const staysLocal of [false, true]) {
      council.gateway.calls.length = 0;
      const asked = ask({ key: `sim_1:${staysLocal}`, staysLocal });
      const panel = await panels().holdPanel(asked, as(workspaceId));
      expect(panel.staysLocal).toBe(staysLocal);
      const calls = council.gateway.calls.map(({ isSensitive }) => isSensitive);
      expect(calls).toEqual([staysLocal, staysLocal, staysLocal]);
    }
  });

  it('is another of another owner, and refused under its key for another question', async () => {
    answer = async () => stand(1, { price: 0.01 });
    const first = await panels().holdPanel(ask(), as(workspaceId));
    const other = await panels().holdPanel(ask({ owner: 'sim_2' }), as(workspaceId));
    expect(other.panelId).not.toBe(first.panelId);
    await expect(
      panels().holdPanel(ask({ question: 'And now?' }), as(workspaceId)),
    ).rejects.toMatchObject({ reason: 'CONFLICT', fields: { code: 'panel_key_reused' } });
  });

  it('is forgotten with its owner', async () => {
    answer = async () => stand(1, { price: 0.01 });
    const first = await panels().holdPanel(ask(), as(workspaceId));
    await panels().deletePanels({ owner: 'sim_1' }, as(workspaceId));
    const again = await panels().holdPanel(ask(), as(workspaceId));
    expect(again.panelId).not.toBe(first.panelId);
    expect(council.gateway.calls).toHaveLength(6);
  });

  it('goes on without those who do not answer, and says who', async () => {
    answer = async ({ slug }) => {
      if (slug === 'craft') throw new Error('no model');
      return stand(1, { price: 0.01 });
    };
    const { decisions, absentAgents } = await panels().holdPanel(ask(), as(workspaceId));
    expect([decisions.length, absentAgents]).toEqual([2, ['Craft']]);
  });

  it('names everybody as absent when every call fails, and speaks of no conversation', async () => {
    answer = async () => Promise.reject(new Error('no model'));
    const held = await panels().holdPanel(ask(), as(workspaceId));
    expect(held).toMatchObject({ decisions: [], convergenceScore: 0 });
    expect(held.absentAgents.toSorted()).toEqual(['Craft', 'Growth', 'Thrift']);
    expect(held.failure).toContain('0 of 3 agents');
    expect(held.failure).not.toMatch(/conversation|send the message/u);
    // It is answered again as it ended, and nobody is asked.
    const { length } = council.gateway.calls;
    expect(await panels(1).holdPanel(ask(), as(workspaceId))).toEqual(held);
    expect(council.gateway.calls).toHaveLength(length);
  });

  it('names those as absent that did not answer, when too few do', async () => {
    answer = async ({ slug }) => {
      if (slug !== 'craft') throw new Error('no model');
      return stand(1, { price: 0.01 });
    };
    const { decisions, absentAgents } = await panels().holdPanel(ask(), as(workspaceId));
    expect([decisions, absentAgents.toSorted()]).toEqual([[], ['Growth', 'Thrift']]);
  });

  it.each([
    ['a lever twice', { levers: [LEVERS[0], LEVERS[0]] }, /twice/],
    ['a default out of bounds', { levers: [{ ...LEVERS[0], defaultValue: 1 }] }, /default/],
    [
      'a lever that is described by no text',
      { levers: [{ ...LEVERS[0], description: 'a\0' }] },
      /levers/,
    ],
    ['an issue twice', { issues: [ISSUE, ISSUE] }, /id twice/],
    ['an issue that no prompt can mark', { issues: [{ ...ISSUE, id: 'A1' }] }, /begins small/],
    ['an issue without weight', { issues: [{ ...ISSUE, weight: 0 }] }, /weight/],
    ['an issue that says nothing', { issues: [{ ...ISSUE, proposition: ' ' }] }, /proposition/],
    ['no key', { key: '' }, /key/],
    ['no question', { question: ' ' }, /empty/],
    ['half a character', { question: 'a\ud800' }, /character/],
    ['an agent that is not there', { agentIds: ['agt_none'] }, /no agent/],
    ['six rounds', { maxRounds: 6 }, /maxRounds/],
  ])('is refused with %s', async (_what, more, message) => {
    await expect(panels().holdPanel(ask(more), as(workspaceId))).rejects.toThrow(message);
  });
});

describe('a debate under the id of a call', () => {
  const conversations = () => council.replicas[0].clientOf(ConversationService);
  const hold = async (proofId: string): Promise<{ debateId: string; last: string | undefined }> => {
    const { conversationId } = asked;
    const request = { conversationId, content: 'What now?', proofId };
    let last;
    for await (const event of conversations().holdDebate(request, as(workspaceId))) last = event;
    return { debateId: last?.debateId ?? '', last: last?.event.case };
  };
  let asked: { conversationId: string };
  beforeEach(async () => {
    const draft = { title: 'Now', userId: 'usr_1' };
    const { conversation } = await conversations().createConversation(draft, as(workspaceId));
    asked = { conversationId: conversation!.id };
  });

  it('is the same debate when the call is made again', async () => {
    answer = async ({ purpose }) => (purpose === 'extraction' ? { issues: [] } : stand(1, {}));
    const first = await hold('pf_one');
    const { length } = council.gateway.calls;
    expect(await hold('pf_one')).toEqual(first);
    expect(first).toEqual({ debateId: 'dbt_one', last: 'done' });
    expect(council.gateway.calls).toHaveLength(length);
  });

  it('has its answers streamed when somebody wants them as they come', async () => {
    answer = async ({ purpose }) => (purpose === 'debate' ? stand(1, {}) : { issues: [] });
    for (const streamed of [false, true]) {
      council.gateway.calls.length = 0;
      const request = { conversationId: asked.conversationId, content: 'What now?', streamed };
      let last;
      for await (const one of conversations().holdDebate(request, as(workspaceId))) last = one;
      expect(last?.event.case).toBe('done');
      const answers = council.gateway.calls.filter(({ slug }) => slug !== '');
      expect(answers.map(({ isStreamed }) => isStreamed)).toEqual(answers.map(() => streamed));
      expect(answers).not.toHaveLength(0);
    }
  });

  it('is a new one when that failed', async () => {
    answer = async () => Promise.reject(new Error('no model'));
    const first = await hold('pf_two');
    answer = async () => stand(1, {});
    const second = await hold('pf_two');
    expect([first.last, second.last]).toEqual(['failed', 'done']);
    expect(second.debateId).not.toBe(first.debateId);
  });

  it('goes on in another replica when the one that holds it stops, and pays once', async () => {
    let begun = 0;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    answer = async ({ purpose }) => {
      if (purpose !== 'debate') return { issues: [] };
      begun += 1;
      // The first answers at once, and is kept; the others while their service stops.
      if (begun > 1) await released;
      return stand(1, {});
    };
    const third = await council.openReplica();
    const request = {
      conversationId: asked.conversationId,
      content: 'Go on?',
      proofId: 'pf_three',
    };
    const following = (async () => {
      const client = third.clientOf(ConversationService);
      for await (const event of client.holdDebate(request, as(workspaceId))) {
        if (event.event.case === 'agentCompleted') return;
      }
    })();
    await following;
    const stopping = third[Symbol.asyncDispose]();
    release();
    await stopping;
    const { last } = await hold('pf_three');
    expect(last).toBe('done');
    const agentsAsked = council.gateway.calls
      .filter(({ slug }) => slug !== '')
      .map(({ slug }) => slug);
    expect(agentsAsked.toSorted()).toEqual(['craft', 'growth', 'thrift']);
  });

  it('is told to its end to who asks for what comes after an event that there is not', async () => {
    const gate = createGate();
    answer = async ({ purpose }) => {
      if (purpose === 'debate') await gate.pass();
      return purpose === 'debate' ? stand(1, {}) : { issues: [] };
    };
    const held = hold('pf_four');
    await eventually(() => council.gateway.calls.some(({ purpose }) => purpose === 'debate'));
    const place = { ...asked, debateId: 'dbt_four', afterSeq: 2 ** 32 - 1 };
    const told = (async () => {
      let last;
      for await (const event of conversations().followDebate(place, as(workspaceId))) last = event;
      return last?.event.case;
    })();
    // Who asked later is already told something: the first one follows, too.
    const fromTheStart = { ...asked, debateId: 'dbt_four' };
    for await (const _ of conversations().followDebate(fromTheStart, as(workspaceId))) break;
    gate.open();
    expect([(await held).last, await told]).toEqual(['done', 'done']);
  });
});
