import type { ConversationMessage, ConversationStore } from '../conversation/conversation.ts';
import type { StoredDebate } from './debate-store.ts';
import type { EarlierDebate } from './prepare-answer.ts';

/** What was asked in a conversation before a debate, and what the council said, oldest first. */
export const createFindEarlier =
  ({ find }: Pick<ConversationStore, 'find'>) =>
  async (
    { id, place }: Pick<StoredDebate, 'id' | 'place'>,
    workspaceId: string,
  ): Promise<EarlierDebate[]> => {
    if (place.kind === 'panel') return [];
    const found = await find(workspaceId, place.conversationId);
    return pairUp((found?.messages ?? []).filter(({ debateId }) => debateId !== id));
  };

/** Debates that failed have no synthesis, and are not told of. */
const pairUp = (messages: readonly ConversationMessage[]): EarlierDebate[] => {
  const questions = new Map(
    messages
      .filter(({ senderType }) => senderType === 'user')
      .map(({ debateId, content }) => [debateId, content]),
  );
  return messages
    .filter(({ senderType, debateId }) => senderType === 'synthesis' && questions.has(debateId))
    .map(({ debateId, content }) => ({
      question: questions.get(debateId)!,
      synthesis: content,
    }));
};
