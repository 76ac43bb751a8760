import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type {
  ConversationMessageSchema,
  DebateEventSchema,
  DebateRoundSchema,
  DissentSchema,
  RoundReportSchema,
  SynthesisSchema,
} from '@witan/contracts';
import type { ConversationMessage, ConversationRound } from '../conversation/conversation.ts';
import type { Dissent, RoundReport, Synthesis } from '../debate.ts';
import type { DebateEvent } from '../record/debate-event.ts';
import { toStreamSeq } from '../runner/follow-debate.ts';
import type { DebateUpdate } from '../runner/follow-debate.ts';

type Event = MessageInitShape<typeof DebateEventSchema>;

export const toDebateEvent = (update: DebateUpdate): Event => {
  if (update.kind === 'delta') {
    const { debateId, seq, roundNumber, agentId, text } = update;
    const kind = agentId === '' ? 'synthesisDelta' : 'agentDelta';
    return { debateId, seq, roundNumber, agentId, event: { case: kind, value: text } };
  }
  const { debateId, seq, roundNumber, agentId } = update.event;
  return {
    debateId,
    seq: toStreamSeq(seq),
    roundNumber,
    agentId,
    event: toEventBody(update.event),
  };
};

const toEventBody = (event: DebateEvent): NonNullable<Event['event']> => {
  switch (event.kind) {
    case 'started': {
      const { conversationId, message, agents } = event;
      const value = {
        conversationId,
        ...(message ? { message: toConversationMessage(message) } : {}),
        agents: [...agents],
      };
      return { case: 'started', value };
    }
    case 'framed':
      return { case: 'framed', value: { issues: [...event.issues] } };
    case 'round-started':
      return { case: 'roundStarted', value: {} };
    case 'agent-completed':
      return { case: 'agentCompleted', value: toConversationMessage(event.message) };
    case 'agent-failed': {
      const { agentName, reason } = event;
      return { case: 'agentFailed', value: { agentName, reason } };
    }
    case 'round-completed':
      return { case: 'roundCompleted', value: toDebateRound(event.round) };
    case 'synthesis-completed':
      return {
        case: 'synthesisCompleted',
        value: {
          message: toConversationMessage(event.message),
          synthesis: toSynthesis(event.synthesis),
        },
      };
    case 'done':
      return {
        case: 'done',
        value: {
          convergenceScore: event.convergenceScore,
          messages: event.messages.map(toConversationMessage),
          debates: event.rounds.map(toDebateRound),
          synthesis: toSynthesis(event.synthesis),
          usage: event.usage,
          proofIds: [...event.proofIds],
        },
      };
    case 'failed':
      return { case: 'failed', value: event.failure };
  }
};

const toSynthesis = ({
  isFromTemplate,
  dissent,
  camps,
  withoutStance,
  templateReason,
  contradictions,
  ...synthesis
}: Synthesis): MessageInitShape<typeof SynthesisSchema> => ({
  ...synthesis,
  verdicts: [...synthesis.verdicts],
  openQuestions: [...synthesis.openQuestions],
  absentAgents: [...synthesis.absentAgents],
  dissent: dissent.map(toDissent),
  camps: camps.map(toDissent),
  withoutStance: [...withoutStance],
  fromTemplate: isFromTemplate,
  templateReason: templateReason ?? '',
  contradictions: [...contradictions],
});

const toDissent = ({
  agentIds,
  agentNames,
  ...one
}: Dissent): MessageInitShape<typeof DissentSchema> => ({
  ...one,
  agentIds: [...agentIds],
  agentNames: [...agentNames],
});

export const toConversationMessage = ({
  createdAt,
  isStale,
  proofIds,
  stances,
  keyPoints,
  ...message
}: ConversationMessage): MessageInitShape<typeof ConversationMessageSchema> => ({
  ...message,
  createdAt: timestampFromDate(createdAt),
  proofIds: [...proofIds],
  stances: [...stances],
  keyPoints: [...keyPoints],
  stale: isStale,
});

export const toDebateRound = ({
  report,
  ...round
}: ConversationRound): MessageInitShape<typeof DebateRoundSchema> => ({
  ...round,
  report: toRoundReport(report),
});

export const toRoundReport = ({
  blocs,
  ...report
}: RoundReport): MessageInitShape<typeof RoundReportSchema> => ({
  ...report,
  blocs: blocs.map((agentIds) => ({ agentIds: [...agentIds] })),
});
