import type { ConversationStore, EarlierDebate } from '../conversation/conversation.ts';
import type { StoredDebate } from '../record/debate-store.ts';

export type FindEarlier = (
  debate: Pick<StoredDebate, 'id' | 'origin'>,
  caller: { workspaceId: string; isSensitive: boolean },
) => Promise<readonly EarlierDebate[]>;

const EARLIER_MAX = 10;

/**
 * Returns a function that finds the earlier debates of a debate's conversation. Local-only debates
 * are included only if the asking debate is local-only.
 */
export const createFindEarlier =
  ({ findEarlier }: Pick<ConversationStore, 'findEarlier'>): FindEarlier =>
  async ({ id: debateId, origin }, { workspaceId, isSensitive }) =>
    origin.kind === 'panel'
      ? []
      : findEarlier(workspaceId, origin.conversationId, {
          debateId,
          max: EARLIER_MAX,
          withSensitive: isSensitive,
        });
