import { addUsage, NO_USAGE } from '@witan/dialects';
import type { TokenUsage } from '@witan/dialects';
import type { StoredDebate } from './debate-store.ts';
import type { ConversationMessage } from '../conversation/conversation.ts';
import type { StoredAnswer, StoredSynthesis, NewDebate } from './debate-store.ts';

export const toUserMessage = ({
  id,
  origin,
  question,
  createdAt,
}: Pick<NewDebate, 'id' | 'origin' | 'question' | 'createdAt'>): ConversationMessage | undefined =>
  origin.kind === 'panel'
    ? undefined
    : {
        ...NO_ANSWER,
        id: origin.messageId,
        senderType: 'user',
        content: question,
        createdAt,
        debateId: id,
      };

export const toAgentMessage = (
  { debateId, roundNumber }: { debateId: string; roundNumber: number },
  { messageId, answer, answeredAt }: StoredAnswer,
): ConversationMessage => ({
  id: messageId,
  senderType: 'agent',
  agentId: answer.agentId,
  agentName: answer.agentName,
  content: answer.content,
  createdAt: answeredAt,
  debateId,
  roundNumber,
  proofIds: answer.proofIds,
  stances: answer.stances,
  keyPoints: answer.keyPoints,
  changedMind: answer.changedMind,
  changeReason: answer.changeReason,
  finishReason: answer.finishReason ?? '',
  isStale: answer.isStale,
});

export const toSynthesisMessage = (
  debateId: string,
  { messageId, synthesis, proofIds, synthesizedAt }: StoredSynthesis,
): ConversationMessage => ({
  ...NO_ANSWER,
  id: messageId,
  senderType: 'synthesis',
  content: synthesis.content,
  createdAt: synthesizedAt,
  debateId,
  proofIds,
});

const NO_ANSWER = {
  agentId: '',
  agentName: '',
  roundNumber: 0,
  proofIds: [],
  stances: [],
  keyPoints: [],
  changedMind: false,
  changeReason: '',
  finishReason: '',
  isStale: false,
} as const satisfies Partial<ConversationMessage>;

/**
 * Returns the sum of the tokens of all stored model calls; the call of an answer that is later
 * reused as stale is counted once.
 */
export const totalUsage = ({
  frame,
  rounds,
  openRound,
  synthesis,
}: Pick<StoredDebate, 'frame' | 'rounds' | 'openRound' | 'synthesis'>): TokenUsage => {
  const answers = [...rounds, ...(openRound ? [openRound] : [])].flatMap((round) => round.answers);
  const currentAnswers = answers.filter(({ isStale }) => !isStale);
  return [frame, ...currentAnswers, synthesis]
    .map((item) => item?.usage ?? NO_USAGE)
    .reduce(addUsage, NO_USAGE);
};

export const totalProofs = ({
  frame,
  rounds,
  synthesis,
}: Pick<StoredDebate, 'frame' | 'rounds' | 'synthesis'>): string[] => {
  const answers = rounds.flatMap((round) => round.answers);
  return [frame, ...answers, synthesis].flatMap((item) => item?.proofIds ?? []);
};
