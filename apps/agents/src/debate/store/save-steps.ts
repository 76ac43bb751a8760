import { create, toBinary } from '@bufbuild/protobuf';
import { DebateSynthesizedSchema } from '@witan/contracts';
import { toEventRow, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { DebateEvent } from '../record/debate-event.ts';
import { LeaseLostError } from '../record/debate-store.ts';
import type {
  DebateStep,
  LeasedDebate,
  StoredAnswer,
  StoredSynthesis,
} from '../record/debate-store.ts';
import { encodeAnswer } from './debate-rows.ts';

/**
 * Writes steps and their events in one call. Rejects with `LeaseLostError` if the debate no longer
 * has this lease.
 */
export const saveSteps = async (
  query: Database['query'],
  leased: LeasedDebate,
  steps: readonly DebateStep[],
): Promise<void> => {
  const [saved] = await query({
    name: 'write_debate_steps',
    text: WRITE_DEBATE_STEPS,
    values: toValues(leased, steps),
  });
  if (!saved) throw new LeaseLostError();
};

const WRITE_DEBATE_STEPS = `
  SELECT * FROM write_debate_steps($1, $2, $3, $4,
    ROW($5, $6, $7, $8, $9, $10, $11)::debate_answer_columns,
    ROW($12, $13, $14, $15, $16, $17, $18, $19, $20, $21)::debate_step_values,
    ROW($22, $23, $24, $25, $26)::debate_outbox_event,
    ROW($27, $28, $29, $30)::debate_event_columns)`;

const toValues = (leased: LeasedDebate, steps: readonly DebateStep[]): unknown[] => {
  const answers = steps.filter(isAnswer);
  const events = steps.flatMap((step) => toEvents(step, answers));
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
    ...toAnswerColumns(answers),
    encodeNullable(framedStep?.frame),
    completed?.round.roundNumber ?? null,
    completed?.round.convergenceScore ?? null,
    encodeNullable(completed?.round.report),
    started?.roundNumber ?? null,
    ...toSynthesisColumns(synthesized?.given),
    encodeNullable(failed?.failure),
    ...toOutboxColumns(leased, synthesized?.given),
    events.map(({ kind }) => kind),
    events.map(({ roundNumber }) => roundNumber),
    events.map(({ agentId }) => agentId),
    events.map(({ answerIndex }) => answerIndex),
  ];
};

type AnswerStep = Extract<DebateStep, { kind: 'answered' | 'absent' }>;

const isAnswer = (step: DebateStep): step is AnswerStep =>
  step.kind === 'answered' || step.kind === 'absent';

/** Returns the columns of the SQL type `debate_answer_columns`, one array each. */
const toAnswerColumns = (steps: readonly AnswerStep[]) => [
  steps.map(({ roundNumber }) => roundNumber),
  steps.map((step) => agentOf(step).agentId),
  steps.map((step) => agentOf(step).agentName),
  steps.map((step) => findStoredAnswer(step)?.messageId ?? null),
  steps.map((step) => {
    const storedAnswer = findStoredAnswer(step);
    return storedAnswer ? encodeAnswer(storedAnswer.answer) : null;
  }),
  steps.map((step) => findStoredAnswer(step)?.answeredAt.toISOString() ?? null),
  steps.map((step) => (step.kind === 'absent' ? step.absence.reason : null)),
];

const agentOf = (step: AnswerStep): { agentId: string; agentName: string } =>
  step.kind === 'answered' ? step.given.answer : step.absence;

const findStoredAnswer = (step: AnswerStep): StoredAnswer | undefined =>
  step.kind === 'answered' ? step.given : step.carried;

type NewEvent = Pick<DebateEvent, 'kind' | 'roundNumber' | 'agentId'> & {
  /**
   * 1-based index of the event's answer among the answers of the statement, or null. The event is
   * not written if that answer was stored before.
   */
  answerIndex: number | null;
};

const toEvents = (step: DebateStep, answers: readonly AnswerStep[]): NewEvent[] => {
  switch (step.kind) {
    case 'framed':
    case 'failed':
      return [{ ...OUTSIDE_ROUNDS, kind: step.kind }];
    case 'synthesized':
      return [
        { ...OUTSIDE_ROUNDS, kind: 'synthesis-completed' },
        { ...OUTSIDE_ROUNDS, kind: 'done' },
      ];
    case 'round-started':
      return [{ ...OUTSIDE_ROUNDS, kind: step.kind, roundNumber: step.roundNumber }];
    case 'round-completed':
      return [{ ...OUTSIDE_ROUNDS, kind: step.kind, roundNumber: step.round.roundNumber }];
    case 'answered':
    case 'absent': {
      const { roundNumber } = step;
      const { agentId } = agentOf(step);
      const event = { roundNumber, agentId, answerIndex: answers.indexOf(step) + 1 };
      return [
        ...(step.kind === 'absent' ? [{ ...event, kind: 'agent-failed' as const }] : []),
        ...(findStoredAnswer(step) ? [{ ...event, kind: 'agent-completed' as const }] : []),
      ];
    }
  }
};

const OUTSIDE_ROUNDS = { roundNumber: 0, agentId: '', answerIndex: null } as const;

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
const toOutboxColumns = (
  { workspaceId, conversationId, id: debateId }: LeasedDebate,
  storedSynthesis: StoredSynthesis | undefined,
) => {
  if (!storedSynthesis || conversationId === '') return [null, null, null, null, null];
  const { content, convergenceScore, rounds, isFromTemplate, templateReason } =
    storedSynthesis.synthesis;
  const message = {
    ...{ conversationId, synthesis: content, debateId, convergenceScore, rounds },
    fromTemplate: isFromTemplate,
    templateReason: templateReason ?? '',
  };
  const payload = toBinary(DebateSynthesizedSchema, create(DebateSynthesizedSchema, message));
  const event = toEventRow({ workspaceId, type: 'debate.synthesized', payload });
  return [event.id, event.type, event.occurredAt.toISOString(), event.trace, Buffer.from(payload)];
};
