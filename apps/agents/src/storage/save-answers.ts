import type { Transaction } from '@witan/service-kit';
import type { DebateStep, GivenAnswer, HeldDebate } from '../domain/debate/record/debate-store.ts';
import { encodeAnswer } from './debate-rows.ts';

/** A step that says what came of asking an agent. */
export type AnswerStep = Extract<DebateStep, { kind: 'answered' | 'absent' }>;

/**
 * Writes what came of asking agents, in one statement: those of a round often come at once. Answers
 * whether a step's was written; one that was there before stays, because it was paid for first.
 */
export const saveAnswers = async (
  em: Transaction,
  { id, workspaceId }: HeldDebate,
  steps: readonly DebateStep[],
): Promise<(step: AnswerStep) => boolean> => {
  const given = steps.filter(isAnswer);
  if (given.length === 0) return () => false;
  const rows = given.map((step) => [id, workspaceId, ...toValues(step)]);
  const kept = await em.execute<Key[]>(insertSql(rows.length), rows.flat());
  const keys = new Set(kept.map(toKey));
  // Of two in one write the first was kept.
  return (step) => keys.delete(toKey(keyOf(step)));
};

const isAnswer = (step: DebateStep): step is AnswerStep =>
  step.kind === 'answered' || step.kind === 'absent';

type Key = { roundNumber: number; agentId: string };

const toKey = ({ roundNumber, agentId }: Key): string => `${roundNumber} ${agentId}`;

const keyOf = (step: AnswerStep): Key => {
  const { roundNumber } = step;
  const { agentId } = step.kind === 'answered' ? step.given.answer : step.absence;
  return { roundNumber, agentId };
};

const toValues = (step: AnswerStep) => {
  if (step.kind === 'answered') {
    const { agentId, agentName } = step.given.answer;
    return [step.roundNumber, agentId, agentName, ...toAnswerValues(step.given), null];
  }
  const { agentId, agentName, reason } = step.absence;
  const answer = step.carried ? toAnswerValues(step.carried) : [null, null, null];
  return [step.roundNumber, agentId, agentName, ...answer, reason];
};

const toAnswerValues = ({ messageId, answer, answeredAt }: GivenAnswer): string[] => [
  messageId,
  encodeAnswer(answer),
  answeredAt.toISOString(),
];

const insertSql = (count: number): string => `
  INSERT INTO debate_answer (
    debate_id, workspace_id, round_number, agent_id, agent_name, message_id, answer, answered_at,
    reason
  ) VALUES ${Array.from({ length: count }, () => ROW).join(', ')}
  ON CONFLICT DO NOTHING RETURNING round_number AS "roundNumber", agent_id AS "agentId"`;

const ROW = '(?, ?, ?, ?, ?, ?, ?::json, ?::timestamptz, ?)';
