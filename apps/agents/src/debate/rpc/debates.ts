import type { ConversationService } from '@witan/contracts/services';
import type { Call, Handlers } from '@witan/service-kit';
import { followDebate, noSuchDebate } from '../runner/follow-debate.ts';
import type { FollowDebateDeps, FollowPosition } from '../runner/follow-debate.ts';
import type { StartDebate } from '../start-debate.ts';
import { toDebateEvent } from './to-debate-event.ts';

export type DebateHandlersDeps = FollowDebateDeps & {
  start: StartDebate;
  newId: (prefix: string) => string;
};

type DebateHandlers = Pick<Handlers<typeof ConversationService>, 'holdDebate' | 'followDebate'>;

export const createDebateHandlers = (deps: DebateHandlersDeps): DebateHandlers => {
  async function* stream(following: FollowPosition, signals: Pick<Call, 'signal' | 'stopping'>) {
    for await (const update of followDebate(following, signals, deps)) yield toDebateEvent(update);
  }
  return {
    async *holdDebate({ conversationId, content, requestSha256, proofId, streamed }, call) {
      const { workspaceId, requestId } = call;
      const messageId = deps.newId('msg');
      const { debateId } = await deps.start(workspaceId, {
        origin: { kind: 'conversation', conversationId, messageId },
        ...(proofId === '' ? {} : { proofId }),
        question: content,
        briefing: '',
        requestSha256,
        requestId,
        levers: [],
        agentIds: [],
      });
      yield* stream({ workspaceId, debateId, afterSeq: 0, wantsDeltas: streamed }, call);
    },
    async *followDebate({ conversationId, debateId, afterSeq, streamed }, call) {
      const { workspaceId } = call;
      const found = await deps.archive.find(workspaceId, debateId);
      if (found?.conversationId !== conversationId) throw noSuchDebate();
      yield* stream({ workspaceId, debateId, afterSeq, wantsDeltas: streamed }, call);
    },
  };
};
