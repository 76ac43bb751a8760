import type { CallResponse, Client } from '../client.ts';
import { replaceIdsAndTimes } from '../judge-replay.ts';

/** A finished debate as the API returns it. */
export type FinishedDebate = {
  outcome: string;
  /** Data of the event `done`. */
  done: object | undefined;
  /** Proof ids in the debate's messages. */
  proofIds: string[];
};

export const readFinishedDebate = async (
  client: Client,
  { conversationId, debateId }: { conversationId: string; debateId: string },
): Promise<FinishedDebate> => {
  type Response = { conversation: { messages: { proofs: string[] }[]; debates: object[] } };
  const path = `/conversations/${conversationId}`;
  const { conversation } = await client.read<Response>('GET', path);
  const { text } = await client.send('GET', `${path}/debates/${debateId}/events`);
  const events = readEvents(text);
  return {
    outcome: toOutcome({ conversation, events }),
    done: events.find(({ event }) => event === 'done')?.data,
    proofIds: conversation.messages.flatMap(({ proofs }) => proofs),
  };
};

const readEvents = (text: string): DebateEvent[] =>
  text.split('\n\n').flatMap((block): DebateEvent[] => {
    const [, event, data] = /^event: (.*)\ndata: (.*)$/m.exec(block) ?? [];
    return event ? [{ event, data: JSON.parse(data!) as DebateEvent['data'] }] : [];
  });

/**
 * Returns whether the plain response equals the debate's `done` event, apart from `seq` and
 * `round`.
 */
export const isCompleteResponse = (
  { status, text }: CallResponse,
  finished: FinishedDebate | undefined,
): boolean => {
  if (status !== 200 || !finished?.done) return false;
  const { seq: _seq, round: _round, ...done } = finished.done as Record<string, unknown>;
  const answer = JSON.parse(text) as Record<string, unknown>;
  return (
    Object.keys(answer).length === Object.keys(done).length &&
    Object.entries(answer).every(
      ([name, value]) => JSON.stringify(value) === JSON.stringify(done[name]),
    )
  );
};

export type DebateEvent = { event: string; data: Record<string, unknown> };

/**
 * Returns a text that is equal for equivalent debates: ids are replaced by numbers in the order in
 * which they appear; times, request ids and the number of the question are replaced by constants.
 * Ids of agents stay, because all debates of a run have the same agents.
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
