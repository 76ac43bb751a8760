import type { DebateStep, StoredAnswer } from '../record/debate-store.ts';
import { encodeAnswer } from './debate-rows.ts';

export type AnswerStep = Extract<DebateStep, { kind: 'answered' | 'absent' }>;

export const isAnswer = (step: DebateStep): step is AnswerStep =>
  step.kind === 'answered' || step.kind === 'absent';

/** Returns the columns of the SQL type `debate_answer_columns`, one array each. */
export const toAnswerColumns = (steps: readonly AnswerStep[]) => [
  steps.map(({ roundNumber }) => roundNumber),
  steps.map((step) => agentOf(step).agentId),
  steps.map((step) => agentOf(step).agentName),
  steps.map((step) => findStoredAnswer(step)?.messageId ?? null),
  steps.map((step) => encodeNullable(findStoredAnswer(step))),
  steps.map((step) => findStoredAnswer(step)?.answeredAt.toISOString() ?? null),
  steps.map((step) => (step.kind === 'absent' ? step.absence.reason : null)),
];

const agentOf = (step: AnswerStep): { agentId: string; agentName: string } =>
  step.kind === 'answered' ? step.given.answer : step.absence;

const findStoredAnswer = (step: AnswerStep): StoredAnswer | undefined =>
  step.kind === 'answered' ? step.given : step.carried;

const encodeNullable = (storedAnswer: StoredAnswer | undefined): string | null =>
  storedAnswer ? encodeAnswer(storedAnswer.answer) : null;
