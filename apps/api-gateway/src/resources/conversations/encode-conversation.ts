import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type {
  ConversationMessage,
  CouncilConversation,
  DebateRound,
  Dissent,
  Synthesis,
} from '@witan/contracts';

const encodeHead = ({ id, title }: CouncilConversation) => ({ id, title });

export const encodeConversation = (conversation: CouncilConversation) => ({
  ...encodeHead(conversation),
  userId: conversation.userId,
  workspaceId: conversation.workspaceId,
  createdAt: toInstant(conversation.createdAt),
});

export const encodeListedConversation = (conversation: CouncilConversation) => ({
  ...encodeHead(conversation),
  createdAt: toInstant(conversation.createdAt),
  _count: { messages: conversation.messageCount },
});

export const encodeWholeConversation = (
  conversation: CouncilConversation,
  messages: readonly ConversationMessage[],
  debates: readonly DebateRound[],
) => ({
  ...encodeHead(conversation),
  createdAt: toInstant(conversation.createdAt),
  messages: messages.map(encodeConversationMessage),
  debates: debates.map(encodeDebateRound),
});

export const encodeConversationMessage = (message: ConversationMessage) => {
  const { id, senderType, content, debateId, proofIds } = message;
  const isAgent = senderType === 'agent';
  return {
    id,
    senderType,
    ...(isAgent ? { agentId: message.agentId, agentName: message.agentName } : {}),
    content,
    createdAt: toInstant(message.createdAt),
    debateId: debateId || null,
    ...(isAgent ? encodeAnswer(message) : {}),
    proofs: proofIds,
  };
};

const encodeAnswer = (message: ConversationMessage) => ({
  roundNumber: message.roundNumber,
  stances: message.stances.map(({ issueId, stance, confidence }) => ({
    issueId,
    stance,
    confidence,
  })),
  keyPoints: message.keyPoints.map(({ id, text }) => ({ id, text })),
  changedMind: message.changedMind,
  changeReason: message.changeReason || null,
  finishReason: message.finishReason || null,
  stale: message.stale,
});

export const encodeDebateRound = (round: DebateRound) => {
  const { messageId, roundNumber, convergenceScore, debateId, report } = round;
  return {
    messageId,
    roundNumber,
    convergenceScore,
    debateId,
    method: report!.method,
    participation: report!.participation,
    blocs: report!.blocs.map(({ agentIds }) => agentIds),
    textSimilarity: report!.textSimilarity,
    conformityFlips: report!.conformityFlips,
    consensus: report!.consensus ?? null,
  };
};

export const encodeSynthesis = (synthesis: Synthesis) => ({
  content: synthesis.content,
  consensus: synthesis.verdicts.map(({ issueId, proposition, verdict, support }) => ({
    issueId,
    proposition,
    verdict,
    support,
  })),
  dissent: synthesis.dissent.map(encodeDissent),
  camps: synthesis.camps.map(encodeDissent),
  withoutStance: synthesis.withoutStance.map(({ id, name }) => ({ id, name })),
  openQuestions: synthesis.openQuestions,
  confidence: synthesis.confidence,
  convergenceScore: synthesis.convergenceScore,
  rounds: synthesis.rounds,
  absentAgents: synthesis.absentAgents,
  stoppedBy: synthesis.stoppedBy,
  fromTemplate: synthesis.fromTemplate,
});

const encodeDissent = (one: Dissent) => ({
  issueId: one.issueId,
  side: one.side || null,
  agents: one.agentIds.map((id, index) => ({ id, name: one.agentNames[index] ?? '' })),
  position: one.position,
  strongestPoint: one.strongestPoint || null,
  strongestPointId: one.strongestPointId || null,
  whatWouldChangeTheirMind: one.wouldChangeMind || null,
});

const toInstant = (time: Timestamp | undefined): string => timestampDate(time!).toISOString();

const CONVERSATION_ID = /^cnv_[0-9A-Za-z]{1,64}$/;
const DEBATE_ID = /^dbt_[0-9A-Za-z]{1,64}$/;

export const isConversationId = (text: string): boolean => CONVERSATION_ID.test(text);

export const readConversationId = (id: string): string => {
  if (isConversationId(id)) return id;
  throw notFound('There is no such conversation in this workspace.');
};

export const readDebateId = (id: string): string => {
  if (DEBATE_ID.test(id)) return id;
  throw notFound('There is no such debate in this conversation.');
};
