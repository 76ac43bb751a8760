import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { DebateEvent, DebateEventBody } from '../record/debate-event.ts';
import type { StoredDebate } from '../record/debate-store.ts';
import { toAgentMessage, toSynthesisMessage, toUserMessage } from '../record/to-messages.ts';
import { totalProofs, totalUsage } from '../record/to-messages.ts';
import { readDebateRows, toStoredAnswer, toRound, toStoredDebate } from './debate-rows.ts';
import type { AnswerRow, DebateRows, RoundRow } from './debate-rows.ts';

/**
 * Returns the events of a debate after `afterSeq`, or undefined if there is no such debate. The
 * event rows contain no text; texts are read from the rows of the debate.
 */
export const readDebateEvents = async (
  query: Database['query'],
  [workspaceId, debateId]: [workspaceId: string, debateId: string],
  afterSeq: number,
): Promise<DebateEvent[] | undefined> => {
  const found = await query<AnyEventRow | EmptyEventRow>({
    name: 'read_debate_events',
    text: 'SELECT * FROM read_debate_events($1, $2, $3)',
    values: [workspaceScope(workspaceId).setting, debateId, afterSeq],
  });
  if (found.length === 0) return undefined;
  const events = found.filter((row): row is AnyEventRow => row.seq !== null);
  if (events.every(isRoundEvent))
    return events.map((row) => toEvent(debateId, row, toRoundEventBody(row)));
  // Read after the events, so that every row to which an event refers is stored already.
  const rows = await readDebateRows(query, workspaceId, debateId);
  if (!rows) return undefined;
  return events.map((row) =>
    toEvent(
      debateId,
      row,
      isRoundEvent(row) ? toRoundEventBody(row) : toDebateEventBody(row, rows),
    ),
  );
};

type EventRow<K> = AnswerRow &
  RoundRow & { seq: number; kind: K; debateId: string; userMessageId: string | null };

/** Row that the query returns if the debate exists and has no events after `afterSeq`. */
type EmptyEventRow = { seq: null };

const ROUND_EVENT_KINDS = [
  'round-started',
  'agent-completed',
  'agent-failed',
  'round-completed',
] as const;
type RoundEventKind = (typeof ROUND_EVENT_KINDS)[number];

type AnyEventRow =
  | EventRow<RoundEventKind>
  | EventRow<Exclude<DebateEventBody['kind'], RoundEventKind>>;

const isRoundEvent = (row: AnyEventRow): row is EventRow<RoundEventKind> =>
  (ROUND_EVENT_KINDS as readonly string[]).includes(row.kind);

const toEvent = (
  debateId: string,
  { seq, roundNumber, agentId }: AnyEventRow,
  body: DebateEventBody,
): DebateEvent => ({ debateId, seq, roundNumber, agentId, ...body });

const toRoundEventBody = (row: EventRow<RoundEventKind>): DebateEventBody => {
  const { kind, agentName, reason } = row;
  switch (kind) {
    case 'round-started':
      return { kind };
    case 'agent-completed':
      return { kind, message: toAgentMessage(row, toStoredAnswer(row)!) };
    case 'agent-failed':
      return { kind, agentName, reason: reason! };
    case 'round-completed':
      return { kind, round: toRound({ id: row.debateId, messageId: row.userMessageId }, row) };
  }
};

const toDebateEventBody = (
  { kind }: EventRow<Exclude<DebateEventBody['kind'], RoundEventKind>>,
  rows: DebateRows,
): DebateEventBody => {
  const debate = toStoredDebate(rows);
  const { id, origin, synthesis } = debate;
  switch (kind) {
    case 'started':
      return {
        kind,
        conversationId: origin.kind === 'conversation' ? origin.conversationId : '',
        message: toUserMessage(debate),
        agents: debate.config.agents,
      };
    case 'framed':
      return { kind, issues: debate.frame!.issues };
    case 'synthesis-completed': {
      const message = toSynthesisMessage(id, synthesis!);
      return { kind, message, synthesis: synthesis!.synthesis };
    }
    case 'done':
      return toDoneEvent(debate, rows);
    case 'failed':
      return { kind, failure: debate.failure! };
  }
};

const toDoneEvent = (
  debate: StoredDebate,
  { head, answers, rounds: roundRows }: DebateRows,
): DebateEventBody => {
  const { id: debateId, config, synthesis } = debate;
  const rounds = roundRows.map((row) => toRound(head, row));
  const agentIndexes = new Map(config.agents.map(({ id }, index) => [id, index]));
  const agentIndexOf = (row: AnswerRow): number =>
    agentIndexes.get(row.agentId) ?? agentIndexes.size;
  const agentMessages = answers
    .toSorted(
      (one, other) =>
        one.roundNumber - other.roundNumber || agentIndexOf(one) - agentIndexOf(other),
    )
    .flatMap((row) => {
      const storedAnswer = toStoredAnswer(row);
      return storedAnswer
        ? toAgentMessage({ debateId, roundNumber: row.roundNumber }, storedAnswer)
        : [];
    });
  return {
    kind: 'done',
    convergenceScore: rounds.at(-1)?.convergenceScore ?? 0,
    messages: [
      toUserMessage(debate) ?? [],
      agentMessages,
      toSynthesisMessage(debateId, synthesis!),
    ].flat(),
    rounds,
    synthesis: synthesis!.synthesis,
    usage: totalUsage(debate),
    proofIds: totalProofs(debate),
  };
};
