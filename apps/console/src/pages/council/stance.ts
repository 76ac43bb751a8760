import type { Agent, Answer, Message, Round } from './debate-state.ts';

/** The steps of the scale, from against to for. */
export const STEPS = [
  { value: -1, label: 'Against' },
  { value: -0.5, label: 'Leans against' },
  { value: 0, label: 'Undecided' },
  { value: 0.5, label: 'Leans for' },
  { value: 1, label: 'For' },
] as const;

/** Returns the index of the step that is nearest to a stance between -1 and 1. */
export const stepOf = (stance: number): number =>
  Math.round((Math.min(1, Math.max(-1, stance)) + 1) * 2);

export const labelOf = (stance: number): string => STEPS[stepOf(stance)]!.label;

const messageOf = (answer: Answer | undefined): Message | undefined =>
  answer?.status === 'done' ? answer.message : undefined;

const stanceIn = (message: Message | undefined, issueId: string): number | undefined =>
  message?.stances?.find((one) => one.issueId === issueId)?.stance;

/** The stance of an agent on an issue in a round, and that of the last round before with one. */
export type Position = { stance: number | undefined; before: number | undefined };

export const positionIn = (
  rounds: readonly Round[],
  { agentId, issueId, round }: { agentId: string; issueId: string; round: number },
): Position => {
  const stances = rounds
    .filter((one) => one.round < round)
    .map(({ answers }) => stanceIn(messageOf(answers[agentId]), issueId));
  const own = rounds.find((one) => one.round === round)?.answers[agentId];
  return {
    stance: stanceIn(messageOf(own), issueId),
    before: stances.findLast((stance) => stance !== undefined),
  };
};

/** The last stance of an agent on an issue, and its first one. */
export type Move = {
  agent: Agent;
  stance: number;
  first: number;
  /** True if the agent is absent from the last round, so that the stance is an earlier one. */
  isAbsent: boolean;
};

/** Returns the current stance of each agent that took one. */
export const movesOn = (
  rounds: readonly Round[],
  agents: readonly Agent[],
  issueId: string,
): Move[] =>
  agents.flatMap((agent) => {
    const stances = rounds
      .map(({ answers }) => stanceIn(messageOf(answers[agent.id]), issueId))
      .filter((stance) => stance !== undefined);
    const stance = stances.at(-1);
    const isAbsent = rounds.at(-1)?.answers[agent.id]?.status === 'absent';
    return stance === undefined ? [] : [{ agent, stance, first: stances[0]!, isAbsent }];
  });

/** The agents without an answer in the last round, with the reason. */
export const absencesOf = (
  rounds: readonly Round[],
  agents: readonly Agent[],
): { agent: Agent; reason: string }[] =>
  agents.flatMap((agent) => {
    const answer = rounds.at(-1)?.answers[agent.id];
    return answer?.status === 'absent' ? [{ agent, reason: answer.reason }] : [];
  });

const REASONS: Readonly<Record<string, string>> = {
  timeout: 'did not answer in time',
  refused: 'its model refused the call',
  unavailable: 'its model could not be reached',
  deleted: 'was deleted during the debate',
};

export const describeAbsence = (reason: string): string => REASONS[reason] ?? reason;

const STOPS: Readonly<Record<string, string>> = {
  converged: 'the agents agree',
  stable: 'no agent changed its stance',
  oscillating: 'the stances went back and forth',
  rounds: 'the last allowed round is over',
  deadline: 'the time was used up',
  budget: 'the tokens were used up',
  single: 'only one agent answered',
};

/** Returns why there was no further round. */
export const describeStop = (stoppedBy: string): string => STOPS[stoppedBy] ?? stoppedBy;
