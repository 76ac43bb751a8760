import { replaceIdsAndTimes } from '../judge-replay.ts';

export type DebateEvent = { event: string; data: Record<string, unknown> };

/**
 * Returns a text that is equal for equivalent debates: ids are replaced by numbers in the order in
 * which they appear; times and the number of the question are replaced by constants. Ids of agents
 * stay, because all debates of a run have the same agents.
 */
export const toOutcome = ({
  conversation,
  events,
}: {
  conversation: { messages: object[]; debates: object[] };
  events: readonly DebateEvent[];
}): string => {
  const done = events.find(({ event }) => event === 'done' || event === 'error');
  const steps = sortAnswers(
    events.map(({ event, data }) => [event, data['round'], data['agentId']]),
  );
  const { seq: _seq, ...data } = done?.data ?? {};
  const { messages, debates } = conversation;
  const text = JSON.stringify({ steps, messages, debates, data }, undefined, 1);
  return replaceIdsAndTimes(text, ['msg', 'pf', 'dbt', 'cnv'])
    .replaceAll(/Question \d+:/g, 'Question:')
    .replaceAll(/"requestId": "[^"]*"/g, '"requestId": "one"');
};

type EventStep = [event: string, round: unknown, agentId: unknown];

/**
 * Sorts consecutive events of one kind and debate round by agent, because agents answer
 * concurrently; other events keep their order.
 */
const sortAnswers = (steps: readonly EventStep[]): EventStep[] => {
  const groups: EventStep[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    const isSameGroup = last?.[0]?.[0] === step[0] && last[0][1] === step[1];
    if (isSameGroup) last.push(step);
    else groups.push([step]);
  }
  return groups.flatMap((group) => group.toSorted((one, other) => (one[2]! < other[2]! ? -1 : 1)));
};
