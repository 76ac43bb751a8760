import type { Client } from '../client.ts';
import { until } from '../until.ts';
import type { Flow } from './flow.ts';

type Message = { senderType: string; content: string };
type ConversationResponse = { conversation: { id: string; messages: Message[] } };
type StartedDebate = { id: string; isAnswered: boolean };

export type DebateFlow = Flow & {
  /** Returns the number of debates that have a synthesis, as counted by the last `check`. */
  countSyntheses: () => number;
};

/**
 * Time in which a debate must end, in milliseconds; longer than the lease after which another
 * process continues the debate.
 */
const ENDED_LIMIT_MS = 90_000;

/** Opens a flow of debates, one after another, each in a conversation of its own. */
export const openDebateFlow = (client: Client): DebateFlow => {
  const started: StartedDebate[] = [];
  let synthesisCount = 0;
  return {
    name: 'debate',
    call: async () => {
      const draft = { title: 'A second shop' };
      const { status, text } = await client.send('POST', '/conversations', draft);
      if (status !== 201) return `${status} ${text}`;
      const debate = {
        id: (JSON.parse(text) as ConversationResponse).conversation.id,
        isAnswered: false,
      };
      started.push(debate);
      const content = `Question ${started.length}: shall we open a second shop in the station?`;
      const error = await client.stream(`/conversations/${debate.id}/message`, { content });
      debate.isAnswered = error === '';
      return error;
    },
    check: async () => {
      const violations: string[] = [];
      synthesisCount = 0;
      for (const debate of started) {
        const messages = await untilEnded(client, debate);
        const syntheses = messages.filter(({ senderType }) => senderType === 'synthesis').length;
        synthesisCount += syntheses;
        violations.push(...findDebateViolations(debate, messages));
      }
      return violations;
    },
    countSyntheses: () => synthesisCount,
  };
};

/**
 * Returns a violation unless the conversation has one question and one synthesis, or neither
 * because the question was not stored.
 */
export const findDebateViolations = (
  { id, isAnswered }: StartedDebate,
  messages: readonly Message[],
): string[] => {
  const count = (type: string): number =>
    messages.filter(({ senderType }) => senderType === type).length;
  const [asked, answered] = [count('user'), count('synthesis')];
  if (asked > 1 || answered > 1) return [`${id}: ${asked} questions and ${answered} syntheses`];
  if (isAnswered && answered === 0) return [`${id}: answered, but its synthesis is not stored`];
  return asked === answered ? [] : [`${id}: the debate did not end`];
};

/** Returns the messages of a debate once it has ended, or after the time limit. */
const untilEnded = async (client: Client, { id }: StartedDebate): Promise<readonly Message[]> => {
  let messages: readonly Message[] = [];
  await until(ENDED_LIMIT_MS, async () => {
    const path = `/conversations/${id}`;
    messages = (await client.read<ConversationResponse>('GET', path)).conversation.messages;
    return messages.length === 0 || messages.at(-1)!.senderType === 'synthesis';
  });
  return messages;
};
