import { ConversationService, PanelService } from '@witan/contracts/services';
import { implement } from '@witan/service-kit';
import type { Host } from '@witan/service-kit';
import type { Config } from './config.ts';
import { createConversations } from './domain/conversation/conversations.ts';
import { createAskClerk } from './domain/debate/ask-clerk.ts';
import { createDebateBoard } from './domain/debate/debate-board.ts';
import type { HeldDebate } from './domain/debate/debate-store.ts';
import { createFindEarlier } from './domain/debate/find-earlier.ts';
import { createFrameQuestion } from './domain/debate/frame-question.ts';
import { openDebateRunner } from './domain/debate/open-debate-runner.ts';
import type { DebateRunnerDeps } from './domain/debate/open-debate-runner.ts';
import { createStartDebate } from './domain/debate/start-debate.ts';
import type { AskModel } from './domain/model/model-call.ts';
import { createConversationHandlers } from './handlers/conversations.ts';
import { createDebateHandlers } from './handlers/debates.ts';
import { createPanelHandlers } from './handlers/panels.ts';
import type { Storage } from './storage/open-storage.ts';

/** What turns are made with, debates are made with, too. */
type Parts = Pick<
  DebateRunnerDeps,
  'agents' | 'recall' | 'retrieve' | 'openCall' | 'ratioOf' | 'learn' | 'contextTokens'
> & {
  askModel: AskModel;
  storage: Storage;
  newId: (prefix: string) => string;
  clock: () => Date;
};

export type DebateOverrides = { debateLeaseMs?: number; debateLookEveryMs?: number };

/** Conversations with the council and panels of it, and who holds their debates. */
export const openDebates = (
  { debates: { agentsMax, leaseMs: configuredMs, ...rules } }: Pick<Config, 'debates'>,
  { log }: Pick<Host, 'log'>,
  { askModel, storage, newId, clock, ...parts }: Parts,
  { debateLeaseMs: leaseMs = configuredMs, debateLookEveryMs: lookEveryMs }: DebateOverrides,
) => {
  const { debates: store, debateArchive: archive, conversations: kept, agents } = storage;
  const board = createDebateBoard();
  const timing = {
    leaseMs,
    ...(lookEveryMs === undefined ? {} : { lookEveryMs }),
  };
  const runner = openDebateRunner({
    ...parts,
    ...timing,
    newId,
    clock,
    store,
    archive,
    frameQuestion: createFrameQuestion({
      askModel,
      newId,
      onFailure: (reason, workspaceId) =>
        log.warn({ reason, workspaceId }, 'a question is debated as it stands: it was not framed'),
    }),
    askClerk: createAskClerk({ openCall: parts.openCall, newId }),
    findEarlier: createFindEarlier(kept),
    onKept: board.onKept,
    onDelta: board.onDelta,
    onFailure: (err, held?: HeldDebate) =>
      log.warn({ err, debateId: held?.id }, 'a debate could not go on here; it is taken up again'),
  });
  const start = createStartDebate({
    agents,
    archive,
    conversations: kept,
    store,
    runner,
    rules,
    agentsMax,
    newId,
    clock,
    leaseMs,
  });
  const deps = { start, archive, board, newId };
  const conversations = createConversations({ store: kept, newId, clock });
  return {
    implementations: [
      implement(ConversationService, {
        ...createConversationHandlers(conversations),
        ...createDebateHandlers(deps),
      }),
      implement(PanelService, createPanelHandlers(deps)),
    ],
    stop: runner.stop,
  };
};
