import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConversationService } from '@witan/contracts/services';
import { createGate } from '@witan/testing';
import type { Gate } from '@witan/testing';
import { optionsFor } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';
import { openCouncil } from './open-council.ts';
import type { TestCouncil } from './open-council.ts';

const SECRET = 'The offer of the other side is 4.2 million.';

describe('the answer of a local-only agent', () => {
  let council: TestCouncil;
  let workspaceId: string;
  let localId: string;
  let conversationId: string;
  /** If set, delays the answers of the agents that are not local-only until it is opened. */
  let gate: Gate | undefined;
  let stance: (slug: string, number: number) => number;

  beforeAll(async () => {
    council = await openCouncil(async ({ purpose, slug }) => {
      if (purpose === 'extraction') return { issues: [{ proposition: 'We should sell.' }] };
      if (slug === '') return { content: '' };
      if (slug !== 'vault') await gate?.pass();
      const number = council.gateway.calls.filter((call) => call.slug === slug).length;
      return {
        content: slug === 'vault' ? SECRET : `What ${slug} says.`,
        position: slug === 'vault' ? SECRET : `What ${slug} holds.`,
        stances: [{ issue: 'i1', stance: stance(slug, number), confidence: 0.9 }],
        keyPoints: [],
      };
    });
  });
  afterAll(async () => {
    await council[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    gate = undefined;
    workspaceId = await council.createWorkspace(['Growth', 'Thrift', 'Craft']);
    const draft = { name: 'Vault', systemPrompt: 'You keep it.', model: 'service-sensitive' };
    const [{ agents }] = council.replicas;
    const { agent } = await agents.createAgent(draft, optionsFor(workspaceId));
    localId = agent!.id;
    const title = { title: 'Sale', userId: 'usr_1' };
    const { conversation } = await clientOf().createConversation(title, optionsFor(workspaceId));
    conversationId = conversation!.id;
  });

  const clientOf = (replica: TestAgents = council.replicas[0]) =>
    replica.clientOf(ConversationService);
  const deleteLocal = () =>
    council.replicas[0].agents.deleteAgent({ id: localId }, optionsFor(workspaceId));
  const runDebate = async (content: string, proofId = '') => {
    let last;
    const question = { conversationId, content, proofId };
    for await (const event of clientOf().holdDebate(question, optionsFor(workspaceId)))
      last = event;
    return last?.event;
  };

  it('stays local-only if the agent is deleted and another process resumes the debate', async () => {
    // The local-only agent dissents in the first round, so that the second round's prompts for the
    // others contain its position.
    stance = (slug, number) => (slug === 'vault' || (slug === 'craft' && number > 1) ? -1 : 1);
    gate = createGate();
    const third = await council.openReplica();
    const question = { conversationId, content: 'Shall we sell?', proofId: 'pf_vault' };
    for await (const { event } of clientOf(third).holdDebate(question, optionsFor(workspaceId))) {
      if (event.case === 'agentCompleted') break;
    }
    await deleteLocal();
    const stopping = third[Symbol.asyncDispose]();
    gate.open();
    await stopping;
    expect(await runDebate('Shall we sell?', 'pf_vault')).toMatchObject({ case: 'done' });
    const { calls } = council.gateway;
    expect(calls.filter(({ prompt }) => prompt.includes(SECRET)).length).toBeGreaterThan(0);
    expect(calls.filter(({ isSensitive }) => !isSensitive)).toEqual([]);
  });

  it('is not shown to hosted models in later debates of the conversation', async () => {
    stance = () => 1;
    expect(await runDebate('Shall we sell?')).toMatchObject({ case: 'done' });
    await deleteLocal();
    council.gateway.calls.length = 0;
    expect(await runDebate('And if they ask again?')).toMatchObject({ case: 'done' });
    const { calls } = council.gateway;
    expect(calls.map(({ isSensitive }) => isSensitive)).toEqual(calls.map(() => false));
    expect(calls.filter(({ prompt }) => prompt.includes(SECRET))).toEqual([]);
    expect(calls.filter(({ prompt }) => prompt.includes('Shall we sell?'))).toEqual([]);
  });
});
