import type { ConversationService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { followDebate, noSuchDebate } from '../domain/debate/follow-debate.ts';
import type { FollowDebateDeps, Following } from '../domain/debate/follow-debate.ts';
import type { DebateArchive } from '../domain/debate/debate-store.ts';
import type { StartDebate } from '../domain/debate/start-debate.ts';
import { toDebateEvent } from './to-debate-event.ts';

export type DebateHandlersDeps = FollowDebateDeps & {
  start: StartDebate;
  archive: Pick<DebateArchive, 'find' | 'readEvents'>;
  newId: (prefix: string) => string;
};

type DebateHandlers = Pick<Handlers<typeof ConversationService>, 'holdDebate' | 'followDebate'>;

/** What is debated in the conversations of the calling workspace. */
export const createDebateHandlers = (deps: DebateHandlersDeps): DebateHandlers => {
  async function* tell(following: Following, signal: AbortSignal) {
    for await (const told of followDebate(following, signal, deps)) yield toDebateEvent(told);
  }
  return {
    async *holdDebate({ conversationId, content, requestSha256, streamed }, caller) {
      const { workspaceId, requestId, signal } = caller;
      const messageId = deps.newId('msg');
      const { debateId } = await deps.start(workspaceId, {
        place: { kind: 'conversation', conversationId, messageId },
        question: content,
        briefing: '',
        requestSha256,
        requestId,
        levers: [],
        agentIds: [],
      });
      yield* tell({ workspaceId, debateId, afterSeq: 0, wantsDeltas: streamed }, signal);
    },
    async *followDebate({ conversationId, debateId, afterSeq, streamed }, caller) {
      const { workspaceId, signal } = caller;
      const found = await deps.archive.find(workspaceId, debateId);
      if (found?.conversationId !== conversationId) throw noSuchDebate();
      yield* tell({ workspaceId, debateId, afterSeq, wantsDeltas: streamed }, signal);
    },
  };
};
