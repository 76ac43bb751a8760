import type { Answer, Round, RoundReport } from '../debate.ts';
import type {
  DebateConfig,
  DebateOrigin,
  DebateState,
  Frame,
  StoredAnswer,
  StoredSynthesis,
  OpenRound,
  StoredDebate,
} from '../record/debate-store.ts';
import type { DebateFailure } from '../record/debate-event.ts';
import type { ConversationRound } from '../conversation/conversation.ts';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';

export type DebateRows = { head: HeadRow; answers: AnswerRow[]; rounds: RoundRow[] };

export type HeadRow = {
  id: string;
  conversationId: string | null;
  messageId: string | null;
  owner: string | null;
  key: string | null;
  question: string;
  briefing: string;
  requestSha256: string;
  requestId: string;
  config: string;
  state: DebateState;
  lastSeq: number;
  roundNumber: number;
  frame: string | null;
  synthesis: string | null;
  failure: string | null;
  createdAt: Date | string;
};

export type AnswerRow = {
  roundNumber: number;
  agentId: string;
  agentName: string;
  messageId: string | null;
  answer: string | null;
  reason: 'timeout' | 'refused' | 'unavailable' | 'deleted' | null;
  answeredAt: Date | string | null;
};

export type RoundRow = { roundNumber: number; convergenceScore: number; report: string };

export const readDebateRows = async (
  query: Database['query'],
  workspaceId: string,
  debateId: string,
): Promise<DebateRows | undefined> => {
  const [rows] = await query<DebateRows>({
    name: 'read_debate',
    text: 'SELECT * FROM read_debate($1, $2)',
    values: [workspaceScope(workspaceId).setting, debateId],
  });
  return rows;
};

export const toStoredDebate = ({ head, answers, rounds }: DebateRows): StoredDebate => {
  const { id, question, briefing, requestSha256, requestId, state, lastSeq, roundNumber } = head;
  const isOpen = roundNumber > 0 && !rounds.some((row) => row.roundNumber === roundNumber);
  return {
    id,
    origin: toOrigin(head),
    question,
    briefing,
    requestSha256,
    requestId,
    config: toConfig(head),
    createdAt: new Date(head.createdAt),
    state,
    lastSeq,
    frame: parseNullable(head.frame) as Frame | undefined,
    rounds: rounds.map((row) => ({
      ...toRoundAnswers(row.roundNumber, answers),
      convergenceScore: row.convergenceScore,
      report: toReport(row),
    })),
    openRound: isOpen ? toRoundAnswers(roundNumber, answers) : undefined,
    synthesis: toStoredSynthesis(head),
    failure: parseNullable(head.failure) as DebateFailure | undefined,
  };
};

const toOrigin = (head: Pick<HeadRow, 'conversationId' | 'messageId' | 'owner' | 'key'>) =>
  (head.conversationId === null
    ? { kind: 'panel', owner: head.owner!, key: head.key! }
    : {
        kind: 'conversation',
        conversationId: head.conversationId,
        messageId: head.messageId!,
      }) satisfies DebateOrigin;

const toRoundAnswers = (roundNumber: number, rows: readonly AnswerRow[]): OpenRound => {
  const inRound = rows.filter((row) => row.roundNumber === roundNumber);
  return {
    roundNumber,
    answers: inRound.flatMap((row) => toStoredAnswer(row)?.answer ?? []),
    absences: inRound
      .filter(({ answer }) => answer === null)
      .map(({ agentId, agentName, reason }) => ({ agentId, agentName, reason: reason! })),
  };
};

export const toStoredAnswer = (row: AnswerRow): StoredAnswer | undefined => {
  const { agentId, agentName } = row;
  if (row.answer === null) return undefined;
  const body = JSON.parse(row.answer) as Omit<Answer, 'agentId' | 'agentName'>;
  const answer = { agentId, agentName, ...body };
  return { messageId: row.messageId!, answer, answeredAt: new Date(row.answeredAt!) };
};

export const encodeAnswer = ({ agentId: _id, agentName: _name, ...body }: Answer): string =>
  JSON.stringify(body);

export const toRound = (
  { id: debateId, messageId }: Pick<HeadRow, 'id' | 'messageId'>,
  row: RoundRow,
): ConversationRound => ({
  messageId: messageId ?? '',
  debateId,
  roundNumber: row.roundNumber,
  convergenceScore: row.convergenceScore,
  report: toReport(row),
});

const toReport = ({ report }: Pick<RoundRow, 'report'>): Round['report'] => ({
  consensus: undefined,
  ...(JSON.parse(report) as Omit<RoundReport, 'consensus'>),
});

const toConfig = ({ config }: Pick<HeadRow, 'config'>): DebateConfig => {
  const { deadlineAt, ...rules } = JSON.parse(config) as Serialized<DebateConfig, 'deadlineAt'>;
  return { ...rules, deadlineAt: new Date(deadlineAt) };
};

export const toStoredSynthesis = ({
  synthesis,
}: Pick<HeadRow, 'synthesis'>): StoredSynthesis | undefined => {
  const storedSynthesis = parseNullable(synthesis) as
    | Serialized<StoredSynthesis, 'synthesizedAt'>
    | undefined;
  return (
    storedSynthesis && {
      ...storedSynthesis,
      synthesis: { ...OLDER_RELEASE_DEFAULTS, ...storedSynthesis.synthesis },
      synthesizedAt: new Date(storedSynthesis.synthesizedAt),
    }
  );
};

const OLDER_RELEASE_DEFAULTS = { camps: [], withoutStance: [], contradictions: [] };

type Serialized<T, K extends keyof T> = Omit<T, K> & Record<K, string>;

const parseNullable = (text: string | null): unknown =>
  text === null ? undefined : JSON.parse(text);
