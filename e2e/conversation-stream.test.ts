import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGate, eventually } from '@witan/testing';
import type { Gate } from '@witan/testing';
import { failingPersona, personaWithStance } from './answer-as-council.ts';
import { expectNativeRefusal } from './expect-refusal.ts';
import { readAnswer } from './http-client.ts';
import {
  EVENTS_PATH,
  framesOf,
  MESSAGE_PATH,
  openConversations,
  STREAM,
} from './open-conversations.ts';
import type { CouncilClient, Conversations, Debate, Frame } from './open-conversations.ts';
import { TRANSPORTS } from './open-fixture.ts';

const COUNCIL = [
  personaWithStance('Finance', -1),
  personaWithStance('Product', -1),
  personaWithStance('Sceptic', 1),
];
const ROUND_EVENTS = [
  'round.started',
  'agent.completed',
  'agent.completed',
  'agent.completed',
  'round.completed',
];
const DELTA_EVENT = /\.delta$/;

/** Expects the sequence numbers of the frames to be strictly increasing. */
const expectIncreasing = (frames: readonly Frame[]): void => {
  const seqs = frames.map(({ data }) => data.seq);
  expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
};

describe.each(TRANSPORTS)('streams of debates, services over %s', (transport) => {
  let conversations: Conversations;
  let gate: Gate | undefined;

  beforeAll(async () => {
    const until = async (): Promise<void> => await gate?.pass();
    conversations = await openConversations({ transport, until });
  });
  afterAll(async () => {
    await conversations[Symbol.asyncDispose]();
  });

  const createChair: Conversations['createClient'] = (...args) =>
    conversations.createClient(...args);
  const isStored = ({ event }: Frame): boolean => !DELTA_EVENT.test(event);

  describe('deliver events', () => {
    let chair: CouncilClient;
    let id: string;
    let frames: Frame[];

    beforeAll(async () => {
      chair = await createChair(COUNCIL);
      id = await chair.createConversation();
      const answer = await chair.ask(id, STREAM);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ]);
      frames = framesOf(answer);
    });

    it('in order', () => {
      const names = frames.filter(isStored).map(({ event }) => event);
      expect(names).toEqual([
        'debate.started',
        'frame',
        ...ROUND_EVENTS,
        ...ROUND_EVENTS,
        'synthesis.completed',
        'done',
      ]);
    });

    it('with their debate, round and agent', () => {
      const { debateId } = frames[0]!.data;
      for (const { id: index, event, data } of frames) {
        expect([event, index]).toEqual([event, `${debateId}:${data.seq}`]);
      }
      expectIncreasing(frames);
      const stored = frames.filter(isStored);
      const rounds = stored.slice(2, 12).map(({ data }) => data.round);
      expect(rounds).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
      for (const { data } of frames.filter(({ event }) => event.startsWith('agent.'))) {
        expect(data.agentId).toMatch(/^agt_/);
      }
    });

    it('piece by piece: the pieces of an agent are the start of its answer', () => {
      for (const { data } of frames.filter(({ event }) => event === 'agent.completed')) {
        const pieces = frames
          .filter(({ event }) => event === 'agent.delta')
          .filter((one) => one.data.agentId === data.agentId && one.data.round === data.round)
          .map((one) => one.data['content']);
        const { content } = data['message'] as { content: string };
        expect(content.startsWith(pieces.join(''))).toBe(true);
      }
    });

    it('that end with the result of a plain call, which is stored', async () => {
      const { seq: _seq, round: _round, ...done } = frames.at(-1)!.data;
      const { messages, debates } = done as unknown as Debate;
      expect(await chair.read(id)).toMatchObject({ messages, debates });
      const headers = { 'last-event-id': frames[0]!.id! };
      const plain = await chair.call(`POST ${MESSAGE_PATH}`, { id }, { headers, body: {} });
      expect(plain.json).toEqual(done);
    });

    it('again from any position, by POST and GET, without a new debate', async () => {
      const before = conversations.api.fixture.calls().length;
      const stored = frames.filter(isStored);
      const { debateId } = frames[0]!.data;
      for (const position of [0, 3, stored.length - 2]) {
        const headers = { ...STREAM, 'last-event-id': stored[position]!.id! };
        const replayed = await chair.call(`POST ${MESSAGE_PATH}`, { id }, { headers, body: {} });
        expect(framesOf(replayed)).toEqual(stored.slice(position + 1));
        const streamed = await chair.call(`GET ${EVENTS_PATH}`, { id, debateId }, { headers });
        expect(framesOf(streamed)).toEqual(stored.slice(position + 1));
      }
      const wholeAnswer = await chair.call(`GET ${EVENTS_PATH}`, { id, debateId });
      expect(framesOf(wholeAnswer)).toEqual(stored);
      const headers = { ...STREAM, 'last-event-id': stored.at(-1)!.id! };
      const emptyAnswer = await chair.call(`GET ${EVENTS_PATH}`, { id, debateId }, { headers });
      expect(emptyAnswer.status).toBe(204);
      expect(conversations.api.fixture.calls()).toHaveLength(before);
    });

    it('of their own conversation only', async () => {
      const { debateId } = frames[0]!.data;
      const otherChair = await createChair(COUNCIL);
      const headers = { ...STREAM, 'last-event-id': `${debateId}:1` };
      const body = { content: 'Shall we hire?' };
      const otherId = await chair.createConversation();
      const unknownDebate = { ...STREAM, 'last-event-id': `${debateId.slice(0, -4)}zzzz:1` };
      for (const answer of [
        await otherChair.call(`POST ${MESSAGE_PATH}`, { id }, { headers, body }),
        await otherChair.call(
          `POST ${MESSAGE_PATH}`,
          { id: await otherChair.createConversation() },
          { headers, body },
        ),
        await otherChair.call(`GET ${EVENTS_PATH}`, { id, debateId }),
        await chair.call(`POST ${MESSAGE_PATH}`, { id: otherId }, { headers, body }),
        await chair.call(`GET ${EVENTS_PATH}`, { id: otherId, debateId }),
        await chair.call(`POST ${MESSAGE_PATH}`, { id }, { headers: unknownDebate, body }),
      ]) {
        expectNativeRefusal(answer, { status: 404, code: 'not_found' });
      }
    });
  });

  it('end with an error below the quorum, also when they are replayed', async () => {
    const chair = await createChair([
      personaWithStance('Finance', 1),
      failingPersona('Product'),
      failingPersona('Sceptic'),
    ]);
    const id = await chair.createConversation();
    const frames = framesOf(await chair.ask(id, STREAM));
    const lastFrame = frames.at(-1)!;
    expect(lastFrame).toMatchObject({ event: 'error', data: { error: { code: 'debate_failed' } } });
    const failedFrames = frames.filter(({ event }) => event === 'agent.failed');
    expect(failedFrames.map(({ data }) => String(data['agentName'])).toSorted()).toEqual([
      'Product',
      'Sceptic',
    ]);
    const { debateId } = lastFrame.data;
    const replayedFrames = framesOf(await chair.call(`GET ${EVENTS_PATH}`, { id, debateId }));
    expect(replayedFrames.at(-1)!.id).toBe(lastFrame.id);
  });

  it('continue without their client, which can later read all missed events', async () => {
    gate = createGate();
    const chair = await createChair(COUNCIL);
    const id = await chair.createConversation();
    const controller = new AbortController();
    const body = { content: 'Shall we hire?' };
    const response = await chair.open(id, { headers: STREAM, body, signal: controller.signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('round.started')) text += (await reader.read()).value ?? '';
    const seenFrames = framesOf({ text });
    const concurrentAnswer = await chair.ask(id);
    expectNativeRefusal(concurrentAnswer, { status: 409, code: 'debate_running' });
    controller.abort();
    await reader.cancel().catch(() => {});
    const { debateId } = seenFrames[0]!.data;
    const headers = { ...STREAM, 'last-event-id': seenFrames.at(-1)!.id! };
    const pendingResponse = chair.open(id, { headers, body: {} });
    gate.open();
    gate = undefined;
    const missedFrames = framesOf(await readAnswer(await pendingResponse)).filter(isStored);
    const allFrames = framesOf(await chair.call(`GET ${EVENTS_PATH}`, { id, debateId }));
    expect([...seenFrames, ...missedFrames]).toEqual(allFrames);
    expect(allFrames.at(-1)!.event).toBe('done');
  });

  it('survive the death of the leasing process without a gap for the client', async () => {
    gate = createGate();
    const chair = await createChair(COUNCIL);
    const id = await chair.createConversation();
    const calls = conversations.api.fixture.calls().length;
    const pendingStream = chair.ask(id, STREAM);
    const plainChair = await createChair(COUNCIL);
    const plainId = await plainChair.createConversation();
    const pendingPlain = plainChair.ask(plainId);
    await eventually(
      async () => conversations.api.fixture.calls().length >= calls + 8,
      'both councils to be asked',
    );
    const restart = await conversations.api.fixture.system.interrupt('agents');
    gate.open();
    gate = undefined;
    await restart();
    const [streamedAnswer, plainAnswer] = await Promise.all([pendingStream, pendingPlain]);
    expect([plainAnswer.status, plainAnswer.text]).toEqual([200, expect.anything()]);
    const frames = framesOf(streamedAnswer);
    expect(frames.at(-1)!.event).toBe('done');
    expectIncreasing(frames);
    expect((await chair.read(id)).messages).toHaveLength(8);
  }, 120_000);
});
