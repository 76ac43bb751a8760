import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Certificate } from '@witan/proof';
import { commit } from '@witan/proof';
import { PROPOSITION, failingPersona, personaWithStance } from './answer-as-council.ts';
import { expectNativeRefusal } from './expect-refusal.ts';
import type { Answer } from './http-client.ts';
import { LIST_PATH, MESSAGE_PATH, ITEM_PATH, openConversations } from './open-conversations.ts';
import type { CouncilClient, Conversations, Debate } from './open-conversations.ts';
import { TRANSPORTS } from './open-fixture.ts';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const COUNCIL = [
  personaWithStance('Finance', -1),
  personaWithStance('Product', -1),
  personaWithStance('Sceptic', 1),
];

describe.each(TRANSPORTS)('conversations, services over %s', (transport) => {
  let conversations: Conversations;

  beforeAll(async () => {
    conversations = await openConversations({ transport });
  });
  afterAll(async () => {
    await conversations[Symbol.asyncDispose]();
  });

  const createChair: Conversations['createClient'] = (...args) =>
    conversations.createClient(...args);

  it('are created, listed newest first, read and deleted', async () => {
    const chair = await createChair();
    const created = await chair.call(
      `POST ${LIST_PATH}`,
      {},
      { body: { title: ' Hiring ', more: 1 } },
    );
    expect(created.headers.get('x-service-ignored-fields')).toBe('more');
    const { conversation } = created.json as { conversation: { id: string; title: string } };
    expect(Object.entries(conversation)).toEqual([
      ['id', expect.stringMatching(/^cnv_/)],
      ['title', expect.stringMatching(/^ ?Hiring ?$/)],
      ['userId', expect.stringMatching(/^usr_/)],
      ['workspaceId', chair.workspaceId],
      ['createdAt', expect.stringMatching(INSTANT)],
    ]);
    const firstId = conversation.id;
    const secondId = await chair.createConversation('Prices');
    const list = await chair.call(`GET ${LIST_PATH}`);
    const expectedSummary = {
      title: 'Prices',
      createdAt: expect.anything(),
      _count: { messages: 0 },
    };
    expect(list.json).toEqual({
      conversations: [
        { id: secondId, ...expectedSummary },
        { id: firstId, ...expectedSummary, title: conversation.title },
      ],
    });
    const page = await chair.client.send(`${LIST_PATH}?limit=1`);
    expect(page.json).toMatchObject({ conversations: [{ id: secondId }], nextCursor: secondId });
    const next = await chair.client.send(`${LIST_PATH}?limit=1&cursor=${secondId}`);
    expect((next.json as { conversations: object[] }).conversations).toMatchObject([
      { id: firstId },
    ]);
    expect(next.json).not.toHaveProperty('nextCursor');
    expect(await chair.read(firstId)).toMatchObject({ id: firstId, messages: [], debates: [] });
    expect((await chair.call(`DELETE ${ITEM_PATH}`, { id: firstId })).status).toBe(204);
    for (const operation of [`GET ${ITEM_PATH}`, `DELETE ${ITEM_PATH}`]) {
      const deletedAnswer = await chair.call(operation, { id: firstId });
      expectNativeRefusal(deletedAnswer, { status: 404, code: 'not_found' });
    }
  });

  it('record every model call of a debate with the key that asked', async () => {
    const chair = await createChair(COUNCIL);
    const { json } = await chair.ask(await chair.createConversation());
    const { apiKeys } = (await chair.client.send('/v1/api-keys')).json as {
      apiKeys: { id: string }[];
    };
    const { calls } = (await chair.client.send('/v1/calls?limit=500')).json as {
      calls: { proofId: string; keyId: string | null }[];
    };
    expect(calls.length).toBeGreaterThanOrEqual((json as Debate).proofs.length);
    expect(new Set(calls.map(({ keyId }) => keyId))).toEqual(new Set([apiKeys[0]!.id]));
  });

  it.each([
    ['no title', {}, 'title'],
    ['a blank title', { title: ' ' }, 'title'],
    ['a title that is too long', { title: 'a'.repeat(201) }, 'title'],
    ['a title that is not a string', { title: 7 }, 'title'],
    ['a title with a lone surrogate', { title: 'a\ud800' }, 'title'],
  ])('are refused with %s', async (_name, body, param) => {
    const answer = await (await createChair()).call(`POST ${LIST_PATH}`, {}, { body });
    const { error } = answer.json as { error: { code: string; param: string } };
    expect([answer.status, error.code, error.param]).toEqual([400, 'invalid_request', param]);
  });

  it('are shown to keys that may read, and created by keys that may write', async () => {
    const reader = await createChair([], ['conversations:read']);
    expect((await reader.call(`GET ${LIST_PATH}`)).json).toEqual({ conversations: [] });
    const missingScope = { status: 403, code: 'insufficient_scope', param: 'conversations' };
    expectNativeRefusal(
      await reader.call(`POST ${LIST_PATH}`, {}, { body: { title: 'x' } }),
      missingScope,
    );
    expectNativeRefusal(await reader.ask('cnv_1'), missingScope);
  });

  it('return 404 for another workspace', async () => {
    const id = await (await createChair()).createConversation();
    const otherChair = await createChair(COUNCIL);
    for (const answer of [
      await otherChair.call(`GET ${ITEM_PATH}`, { id }),
      await otherChair.ask(id),
      await otherChair.ask(id, { accept: 'text/event-stream' }),
      await otherChair.ask('none'),
      await otherChair.call(`DELETE ${ITEM_PATH}`, { id }),
    ]) {
      expectNativeRefusal(answer, { status: 404, code: 'not_found' });
    }
  });

  describe('with a debate', () => {
    let chair: CouncilClient;
    let id: string;
    let answer: Answer;
    let debate: Debate;
    const body = { content: 'Shall we hire?' };

    beforeAll(async () => {
      chair = await createChair(COUNCIL);
      id = await chair.createConversation();
      answer = await chair.call(`POST ${MESSAGE_PATH}`, { id }, { body });
      expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
      debate = answer.json as Debate;
    });

    it("contain the message, the council's answers by round, and the synthesis", () => {
      const summaries = debate.messages.map(({ senderType, agentName, roundNumber }) =>
        [senderType, agentName, roundNumber].filter((one) => one !== undefined).join(' '),
      );
      expect([summaries[0], summaries.at(-1)]).toEqual(['user', 'synthesis']);
      // No agent changed its stance in the second round, so there is no third.
      expect(summaries.slice(1, 4).toSorted()).toEqual([
        'agent Finance 1',
        'agent Product 1',
        'agent Sceptic 1',
      ]);
      expect(summaries.slice(4, -1).toSorted()).toEqual([
        'agent Finance 2',
        'agent Product 2',
        'agent Sceptic 2',
      ]);
      const [asked, first] = debate.messages;
      expect(asked).toMatchObject({ content: body.content, debateId: debate.debateId });
      expect(first!.stances).toMatchObject([{ issueId: 'i1', confidence: 0.9 }]);
    });

    it('score each round and name the dissenters', () => {
      const messageId = debate.messages[0]!.id;
      const { debateId } = debate;
      expect(debate.convergenceScore).toBe(0.3333);
      expect(debate.debates).toMatchObject([
        { messageId, debateId, roundNumber: 1, convergenceScore: 0.3333, participation: 1 },
        { messageId, debateId, roundNumber: 2, convergenceScore: 0.3333, participation: 1 },
      ]);
      expect(debate.debates[0]!.blocs.map(({ length }) => length)).toEqual([2, 1]);
      expect(debate.synthesis).toMatchObject({
        consensus: [{ proposition: PROPOSITION, verdict: 'oppose' }],
        dissent: [
          { agents: [{ name: 'Sceptic' }], whatWouldChangeTheirMind: 'A signed contract.' },
        ],
        rounds: 2,
        absentAgents: [],
        stoppedBy: 'stable',
      });
      expect(debate.messages.at(-1)!.content).toContain('Sceptic');
    });

    it('have a certificate for every call', async () => {
      const messageProofs = debate.messages.flatMap(({ proofs }) => proofs);
      // The first certificate is that of the call that frames the question.
      expect(debate.proofs).toEqual([expect.stringMatching(/^pf_/), ...messageProofs]);
      for (const message of debate.messages.slice(1)) {
        const { status, json } = await chair.client.send(`/v1/proofs/${message.proofs.at(-1)}`);
        const { payload } = json as Certificate;
        expect([status, payload.request.sha256]).toEqual([200, commit(body)]);
      }
      expect(debate.usage.totalTokens).toBeGreaterThan(0);
    });

    it('store the debate as it was returned', async () => {
      const { messages, debates } = debate;
      expect(await chair.read(id)).toMatchObject({ messages, debates });
      const list = await chair.call(`GET ${LIST_PATH}`);
      const messageCounts = { messages: messages.length };
      expect(list.json).toMatchObject({ conversations: [{ id, _count: messageCounts }] });
    });

    it('continue with the next message, whose rounds start at 1', async () => {
      const secondDebate = (await chair.ask(id, {}, 'And next year?')).json as Debate;
      const { messages, debates } = await chair.read(id);
      expect(messages).toEqual([...debate.messages, ...secondDebate.messages]);
      expect(debates).toEqual([...debate.debates, ...secondDebate.debates]);
      expect(secondDebate.debates[0]).toMatchObject({
        roundNumber: 1,
        messageId: secondDebate.messages[0]!.id,
      });
    });

    it('run once for all calls with one Idempotency-Key', async () => {
      const headers = { 'idempotency-key': `debate-${transport}` };
      const first = await chair.ask(id, headers);
      const before = conversations.api.fixture.calls().length;
      const second = await chair.ask(id, headers);
      expect([second.status, second.text]).toEqual([200, first.text]);
      expect(second.headers.get('idempotency-replayed')).toBe('true');
      expect(conversations.api.fixture.calls()).toHaveLength(before);
    });
  });

  it('require agents', async () => {
    const chair = await createChair();
    const id = await chair.createConversation();
    for (const accept of ['application/json', 'text/event-stream']) {
      const answer = await chair.ask(id, { accept });
      expectNativeRefusal(answer, { status: 409, code: 'no_agents' });
    }
    expect((await chair.read(id)).messages).toEqual([]);
  });

  it('fail below the quorum, store the answers, and write no synthesis', async () => {
    const chair = await createChair([
      personaWithStance('Finance', 1),
      failingPersona('Product'),
      failingPersona('Sceptic'),
    ]);
    const id = await chair.createConversation();
    const answer = await chair.ask(id);
    expectNativeRefusal(answer, { status: 502, type: 'server_error', code: 'debate_failed' });
    const { messages } = await chair.read(id);
    const summaries = messages.map(({ senderType, agentName }) => agentName ?? senderType);
    expect(summaries).toEqual(['user', 'Finance']);
  });
});
