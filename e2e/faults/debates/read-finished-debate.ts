import type { CallResponse, Client } from '../client.ts';
import { toOutcome } from './to-outcome.ts';
import type { DebateEvent } from './to-outcome.ts';

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
