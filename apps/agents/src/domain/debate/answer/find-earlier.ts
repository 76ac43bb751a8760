import type { ConversationStore, EarlierDebate } from '../../conversation/conversation.ts';
import type { StoredDebate } from '../record/debate-store.ts';

/** What was asked in a conversation before a debate, and what the council said, oldest first. */
export type FindEarlier = (
  debate: Pick<StoredDebate, 'id' | 'origin'>,
  caller: { workspaceId: string; isSensitive: boolean },
) => Promise<readonly EarlierDebate[]>;

/** Older ones have little to say to a new question, and take room in every prompt. */
const EARLIER_MAX = 10;

/** What was said on the machine alone is shown to nobody who is not there. */
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
