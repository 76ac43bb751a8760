import type { DebateEvent, DebateEventBody } from '../domain/debate/record/debate-event.ts';
import type { DebateStep, GivenAnswer } from '../domain/debate/record/debate-store.ts';
import { toAgentMessage } from '../domain/debate/record/to-messages.ts';
import { isAnswer } from './answer-columns.ts';
import type { AnswerStep } from './answer-columns.ts';
import { toDone, toSynthesised } from './debate-events.ts';
import type { DebateRows } from './debate-rows.ts';

/** An event of a step that is about to be written. */
export type PlannedEvent = Pick<DebateEvent, 'kind' | 'roundNumber' | 'agentId'> & {
  /** The place of the answer that it tells, from 1: if that was not written, it is not told. */
  answer: number | null;
  /** What it tells once it was written; undefined: that could not be read. */
  toBody: (debate: WrittenDebate) => DebateEventBody | undefined;
};

/** A debate whose steps were written. */
export type WrittenDebate = {
  debateId: string;
  userMessageId: string;
  /** Read after the write, of a debate that ended well and is still there. */
  rows: DebateRows | undefined;
};

/** The events of steps, in their order. */
export const planEvents = (steps: readonly DebateStep[]): PlannedEvent[] => {
  const answers = steps.filter(isAnswer);
  return steps.flatMap((step) => {
    if (isAnswer(step)) return planAnswer(step, answers.indexOf(step) + 1);
    return planOther(step);
  });
};

const planAnswer = (step: AnswerStep, answer: number): PlannedEvent[] => {
  const { roundNumber } = step;
  if (step.kind === 'answered') return [toCompleted(roundNumber, step.given, answer)];
  const { agentId, agentName, reason } = step.absence;
  const kind = 'agent-failed';
  const toBody = (): DebateEventBody => ({ kind, agentName, reason });
  const failed: PlannedEvent = { kind, roundNumber, agentId, answer, toBody };
  return step.carried ? [failed, toCompleted(roundNumber, step.carried, answer)] : [failed];
};

const toCompleted = (roundNumber: number, given: GivenAnswer, answer: number): PlannedEvent => {
  const kind = 'agent-completed';
  return {
    kind,
    roundNumber,
    agentId: given.answer.agentId,
    answer,
    toBody: ({ debateId }) => ({ kind, message: toAgentMessage({ debateId, roundNumber }, given) }),
  };
};

const OUTSIDE = { roundNumber: 0, agentId: '', answer: null } as const;

const planOther = (step: Exclude<DebateStep, AnswerStep>): PlannedEvent[] => {
  const { kind } = step;
  switch (kind) {
    case 'framed':
      return [{ ...OUTSIDE, kind, toBody: () => ({ kind, issues: step.frame.issues }) }];
    case 'round-started':
      return [{ ...OUTSIDE, kind, roundNumber: step.roundNumber, toBody: () => ({ kind }) }];
    case 'round-completed': {
      const { roundNumber, convergenceScore, report } = step.round;
      const toBody = ({ debateId, userMessageId: messageId }: WrittenDebate): DebateEventBody => ({
        kind,
        round: { messageId, debateId, roundNumber, convergenceScore, report },
      });
      return [{ ...OUTSIDE, kind, roundNumber, toBody }];
    }
    case 'synthesized':
      return [
        {
          ...OUTSIDE,
          kind: 'synthesis-completed',
          toBody: ({ debateId }) => toSynthesised(debateId, step.given),
        },
        { ...OUTSIDE, kind: 'done', toBody: ({ rows }) => rows && toDone(rows) },
      ];
    case 'failed':
      return [{ ...OUTSIDE, kind, toBody: () => ({ kind, failure: step.failure }) }];
  }
};
