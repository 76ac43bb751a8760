import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type {
  ConversationMessageSchema,
  DebateRoundSchema,
  RoundReportSchema,
} from '@witan/contracts';
import type { ConversationMessage, ConversationRound } from '../conversation/conversation.ts';
import type { RoundReport } from '../debate.ts';

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
