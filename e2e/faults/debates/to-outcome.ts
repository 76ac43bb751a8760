import type { DebateEvent } from './conversation-api.ts';

/**
 * Returns a text that is equal for equal debates: ids are numbered by appearance; times and the
 * number of the question are left out. Agents keep their ids, which are equal in all debates of a
 * run.
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
  return anonymise(JSON.stringify({ steps, messages, debates, data }, undefined, 1));
};

type EventStep = [event: string, round: unknown, agentId: unknown];

/** Sorts the answers within a round, whose order varies; all other events are ordered. */
const sortAnswers = (steps: readonly EventStep[]): EventStep[] => {
  const runs: EventStep[][] = [];
  for (const step of steps) {
    const last = runs.at(-1);
    const isOfRun = last?.[0]?.[0] === step[0] && last[0][1] === step[1];
    if (isOfRun) last.push(step);
    else runs.push([step]);
  }
  return runs.flatMap((run) => run.toSorted((one, other) => (one[2]! < other[2]! ? -1 : 1)));
};

const anonymise = (text: string): string => {
  const names = new Map<string, string>();
  return text
    .replaceAll(/\b(msg|pf|dbt|cnv)_\w+/g, (id, prefix: string) => {
      const name = names.get(id) ?? `${prefix} ${names.size + 1}`;
      names.set(id, name);
      return name;
    })
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then')
    .replaceAll(/Question \d+:/g, 'Question:')
    .replaceAll(/"requestId": "[^"]*"/g, '"requestId": "one"');
};
