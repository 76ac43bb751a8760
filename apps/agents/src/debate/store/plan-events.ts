import type { DebateEvent, DebateEventBody } from '../record/debate-event.ts';
import type { DebateStep, StoredAnswer } from '../record/debate-store.ts';
import { toAgentMessage } from '../record/to-messages.ts';
import { isAnswer } from './answer-columns.ts';
import type { AnswerStep } from './answer-columns.ts';
import { toDoneEvent, toSynthesisEvent } from './debate-events.ts';
import type { DebateRows } from './debate-rows.ts';

export type PlannedEvent = Pick<DebateEvent, 'kind' | 'roundNumber' | 'agentId'> & {
  /**
   * 1-based index of the event's answer among the answers of the statement, or null. The event is
   * not emitted if that answer was stored before.
   */
  answerIndex: number | null;
  /**
   * Returns the body of the event, or undefined if the debate's rows could not be read after the
   * write.
   */
  toBody: (debate: WrittenDebate) => DebateEventBody | undefined;
};

export type WrittenDebate = {
  debateId: string;
  userMessageId: string;
  rows: DebateRows | undefined;
};

export const planEvents = (steps: readonly DebateStep[]): PlannedEvent[] => {
  const answers = steps.filter(isAnswer);
  return steps.flatMap((step) => {
    if (isAnswer(step)) return planAnswer(step, answers.indexOf(step) + 1);
    return planStep(step);
  });
};

const planAnswer = (step: AnswerStep, answerIndex: number): PlannedEvent[] => {
  const { roundNumber } = step;
  if (step.kind === 'answered') return [toCompleted(roundNumber, step.given, answerIndex)];
  const { agentId, agentName, reason } = step.absence;
  const kind = 'agent-failed';
  const toBody = (): DebateEventBody => ({ kind, agentName, reason });
  const failed: PlannedEvent = { kind, roundNumber, agentId, answerIndex, toBody };
  return step.carried ? [failed, toCompleted(roundNumber, step.carried, answerIndex)] : [failed];
};

const toCompleted = (
  roundNumber: number,
  storedAnswer: StoredAnswer,
  answerIndex: number,
): PlannedEvent => {
  const kind = 'agent-completed';
  return {
    kind,
    roundNumber,
    agentId: storedAnswer.answer.agentId,
    answerIndex,
    toBody: ({ debateId }) => ({
      kind,
      message: toAgentMessage({ debateId, roundNumber }, storedAnswer),
    }),
  };
};

const OUTSIDE_ROUNDS = { roundNumber: 0, agentId: '', answerIndex: null } as const;

const planStep = (step: Exclude<DebateStep, AnswerStep>): PlannedEvent[] => {
  const { kind } = step;
  switch (kind) {
    case 'framed':
      return [{ ...OUTSIDE_ROUNDS, kind, toBody: () => ({ kind, issues: step.frame.issues }) }];
    case 'round-started':
      return [{ ...OUTSIDE_ROUNDS, kind, roundNumber: step.roundNumber, toBody: () => ({ kind }) }];
    case 'round-completed': {
      const { roundNumber, convergenceScore, report } = step.round;
      const toBody = ({ debateId, userMessageId: messageId }: WrittenDebate): DebateEventBody => ({
        kind,
        round: { messageId, debateId, roundNumber, convergenceScore, report },
      });
      return [{ ...OUTSIDE_ROUNDS, kind, roundNumber, toBody }];
    }
    case 'synthesized':
      return [
        {
          ...OUTSIDE_ROUNDS,
          kind: 'synthesis-completed',
          toBody: ({ debateId }) => toSynthesisEvent(debateId, step.given),
        },
        { ...OUTSIDE_ROUNDS, kind: 'done', toBody: ({ rows }) => rows && toDoneEvent(rows) },
      ];
    case 'failed':
      return [{ ...OUTSIDE_ROUNDS, kind, toBody: () => ({ kind, failure: step.failure }) }];
  }
};
