import type { ConversationStore, EarlierDebate } from '../../conversation/conversation.ts';
import type { StoredDebate } from '../record/debate-store.ts';

export type FindEarlier = (
  debate: Pick<StoredDebate, 'id' | 'origin'>,
  caller: { workspaceId: string; isSensitive: boolean },
) => Promise<readonly EarlierDebate[]>;

const EARLIER_MAX = 10;

/**
 * Returns a function that finds earlier debates of a conversation; it shows local-only debates to
 * local-only callers only.
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
