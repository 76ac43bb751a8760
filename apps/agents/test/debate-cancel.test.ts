import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConversationService } from '@witan/contracts/services';
import { openCouncil } from './open-council.ts';
import type { TestCouncil } from './open-council.ts';
import { optionsFor } from './open-agents.ts';

describe('a debate that is cancelled', () => {
  let council: TestCouncil;
  let asked = Promise.withResolvers<void>();
  let answering = Promise.withResolvers<void>();
  beforeAll(async () => {
    council = await openCouncil(async ({ purpose, slug }) => {
      if (purpose === 'extraction') return { issues: [{ proposition: 'We should.' }] };
      if (slug === '') return { content: 'We should.' };
      asked.resolve();
      await answering.promise;
      const stances = [{ issue: 'i1', stance: 1, confidence: 0.9 }];
      return { content: 'Yes.', position: 'We should.', stances, keyPoints: [] };
    });
  });
  afterAll(async () => {
    answering.resolve();
    await council[Symbol.asyncDispose]();
  });

  const begin = async () => {
    asked = Promise.withResolvers();
    answering = Promise.withResolvers();
    const workspaceId = await council.createWorkspace(['ann', 'bob']);
    const [first, second] = council.replicas;
    const options = optionsFor(workspaceId);
    const conversations = first.clientOf(ConversationService);
    const created = await conversations.createConversation({ title: 'Prices' }, options);
    const conversationId = created.conversation!.id;
    const request = { conversationId, content: 'Should we?', streamed: false };
    let debateId = '';
    for await (const event of conversations.holdDebate(request, options)) {
      ({ debateId } = event);
      break;
    }
    const other = second.clientOf(ConversationService);
    return { conversations, other, options, conversationId, debateId };
  };

  it('ends as failed for everybody, whichever replica runs it', async () => {
    const { conversations, other, options, conversationId, debateId } = await begin();
    expect(await other.getDebate({ debateId }, options)).toMatchObject({
      conversationId,
      state: 'running',
    });
    await other.cancelDebate({ debateId }, options);
    const ended = await conversations.getDebate({ debateId }, options);
    expect([ended.state, ended.lastEvent!.event]).toMatchObject([
      'failed',
      { case: 'failed', value: { code: 'debate_cancelled' } },
    ]);
    const follow = { conversationId, debateId, afterSeq: 0, streamed: false };
    const cases: (string | undefined)[] = [];
    for await (const { event } of conversations.followDebate(follow, options)) {
      cases.push(event.case);
    }
    expect(cases.at(-1)).toBe('failed');
  });

  it('does not write what its agents answer later, and leaves the conversation free', async () => {
    const { conversations, other, options, conversationId, debateId } = await begin();
    await asked.promise;
    await other.cancelDebate({ debateId }, options);
    answering.resolve();
    await other.cancelDebate({ debateId }, options);
    const request = { conversationId, content: 'And now?', streamed: false };
    let last: string | undefined;
    for await (const { event } of conversations.holdDebate(request, options)) last = event.case;
    expect(last).toBe('done');
    const state = await conversations.getDebate({ debateId }, options);
    expect(state.lastEvent!.event.case).toBe('failed');
  });

  it('is not found in another workspace', async () => {
    const { conversations, debateId } = await begin();
    const options = optionsFor('ws_other');
    for (const call of [conversations.getDebate, conversations.cancelDebate]) {
      await expect(call({ debateId }, options)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    }
  });
});
