import { create, toBinary } from '@bufbuild/protobuf';
import { DebateSynthesizedSchema } from '@witan/contracts';
import { toEventRow, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { DebateEvent } from '../record/debate-event.ts';
import { LeaseLostError } from '../record/debate-store.ts';
import type { DebateStep, StoredSynthesis, LeasedDebate } from '../record/debate-store.ts';
import { isAnswer, toAnswerColumns } from './answer-columns.ts';
import { readDebateRows } from './debate-rows.ts';
import { planEvents } from './plan-events.ts';
import type { PlannedEvent } from './plan-events.ts';

/**
 * Writes steps and their events in one call and returns the events. Throws `LeaseLostError` if the
 * debate no longer has this lease.
 */
export const saveSteps = async (
  query: Database['query'],
  leased: LeasedDebate,
  steps: readonly DebateStep[],
): Promise<DebateEvent[]> => {
  const { id: debateId, workspaceId } = leased;
  const planned = planEvents(steps);
  const values = toValues(leased, steps, planned);
  const [saved] = await query<SavedRow>({
    name: 'write_debate_steps',
    text: WRITE_DEBATE_STEPS,
    values,
  });
  if (!saved) throw new LeaseLostError();
  const { lastSeq, userMessageId, insertedAnswers } = saved;
  const newEvents = planned.filter(
    ({ answerIndex }) => answerIndex === null || insertedAnswers.includes(answerIndex),
  );
  // The event `done` contains all answers of the debate, including those that other processes
  // stored, so they are read from storage.
  const isDone = newEvents.some(({ kind }) => kind === 'done');
  // A failed read is ignored, because the steps are stored already: the event is not returned here,
  // and followers read it from storage.
  const reading = isDone ? readDebateRows(query, workspaceId, debateId) : undefined;
  const rows = await reading?.catch(() => undefined);
  const debate = { debateId, userMessageId: userMessageId ?? '', rows };
  return newEvents.flatMap(({ roundNumber, agentId, toBody }, index) => {
    const body = toBody(debate);
    return body ? [{ debateId, seq: lastSeq + index + 1, roundNumber, agentId, ...body }] : [];
  });
};

/**
 * `lastSeq` is the number of the last event before the written ones. `insertedAnswers` lists the
 * 1-based indexes of the answers that were not stored before.
 */
type SavedRow = { lastSeq: number; userMessageId: string | null; insertedAnswers: number[] };

const WRITE_DEBATE_STEPS = `
  SELECT * FROM write_debate_steps($1, $2, $3, $4,
    ROW($5, $6, $7, $8, $9, $10, $11)::debate_answer_columns,
    ROW($12, $13, $14, $15, $16, $17, $18, $19, $20, $21)::debate_step_values,
    ROW($22, $23, $24, $25, $26)::debate_outbox_event,
    ROW($27, $28, $29, $30)::debate_event_columns)`;

const toValues = (
  leased: LeasedDebate,
  steps: readonly DebateStep[],
  planned: readonly PlannedEvent[],
): unknown[] => {
  const framedStep = steps.find((step) => step.kind === 'framed');
  const completed = steps.find((step) => step.kind === 'round-completed');
  const started = steps.findLast((step) => step.kind === 'round-started');
  const synthesized = steps.find((step) => step.kind === 'synthesized');
  const failed = steps.find((step) => step.kind === 'failed');
  return [
    workspaceScope(leased.workspaceId).setting,
    leased.id,
    leased.lease,
    leased.conversationId,
    ...toAnswerColumns(steps.filter(isAnswer)),
    encodeNullable(framedStep?.frame),
    completed?.round.roundNumber ?? null,
    completed?.round.convergenceScore ?? null,
    encodeNullable(completed?.round.report),
    started?.roundNumber ?? null,
    ...toSynthesisColumns(synthesized?.given),
    encodeNullable(failed?.failure),
    ...toEventColumns(leased, synthesized?.given),
    planned.map(({ kind }) => kind),
    planned.map(({ roundNumber }) => roundNumber),
    planned.map(({ agentId }) => agentId),
    planned.map(({ answerIndex }) => answerIndex),
  ];
};

const encodeNullable = (value: object | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value);

const toSynthesisColumns = (storedSynthesis: StoredSynthesis | undefined) =>
  storedSynthesis
    ? [
        JSON.stringify(storedSynthesis),
        storedSynthesis.messageId,
        Buffer.byteLength(storedSynthesis.synthesis.content),
        storedSynthesis.synthesizedAt.toISOString(),
      ]
    : [null, null, null, null];

/**
 * Returns the columns of the outbox event `debate.synthesized` (docs/spec.md#6), which panels do
 * not publish.
 */
const toEventColumns = (
  { workspaceId, conversationId, id: debateId }: LeasedDebate,
  storedSynthesis: StoredSynthesis | undefined,
) => {
  if (!storedSynthesis || conversationId === '') return [null, null, null, null, null];
  const { content, convergenceScore, rounds } = storedSynthesis.synthesis;
  const message = { conversationId, synthesis: content, debateId, convergenceScore, rounds };
  const payload = toBinary(DebateSynthesizedSchema, create(DebateSynthesizedSchema, message));
  const event = toEventRow({ workspaceId, type: 'debate.synthesized', payload });
  return [event.id, event.type, event.occurredAt.toISOString(), event.trace, Buffer.from(payload)];
};
