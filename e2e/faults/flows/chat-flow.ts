import type { Client } from '../client.ts';
import type { Flow } from './flow.ts';

type Session = { session: { id: string; messages: { senderType: string; content: string }[] } };
type SentMessage = { message: string; isAnswered: boolean };

/** Opens a flow whose calls are chat turns with one agent in one session. */
export const openChatFlow = async (
  client: Client,
  agentId: string,
  isStreamed: boolean,
): Promise<Flow> => {
  const path = `/agents/${agentId}/sessions`;
  const { session } = await client.read<Session>('POST', path, {});
  const sentMessages: SentMessage[] = [];
  return {
    name: isStreamed ? 'chat, streamed' : 'chat',
    call: async () => {
      const message = `Question ${sentMessages.length + 1}: shall we open a second shop?`;
      const turn = { message, isAnswered: false };
      sentMessages.push(turn);
      const body = { message, sessionId: session.id };
      const chat = `/agents/${agentId}/chat`;
      const error = await (isStreamed
        ? client.stream(chat, body)
        : client.call('POST', chat, body));
      turn.isAnswered = error === '';
      return error;
    },
    check: async () => {
      const stored = await client.read<Session>('GET', `${path}/${session.id}`);
      return findChatViolations(sentMessages, stored.session.messages);
    },
  };
};

/**
 * Returns violations unless each chat turn is stored completely or not at all, at most once, and
 * always if its response was complete.
 */
export const findChatViolations = (
  sentMessages: readonly SentMessage[],
  stored: Session['session']['messages'],
): string[] => {
  const questions = stored.filter(({ senderType }) => senderType === 'user');
  const countStored = (message: string): number =>
    questions.filter(({ content }) => content === message).length;
  const isAlternating = stored.every(
    ({ senderType }, index) => senderType === (index % 2 === 0 ? 'user' : 'agent'),
  );
  return [
    ...(isAlternating && stored.length % 2 === 0
      ? []
      : ['messages are not pairs of question and answer']),
    ...sentMessages.flatMap(({ message, isAnswered }) => {
      const count = countStored(message);
      if (count > 1) return [`stored ${count} times: ${message}`];
      return isAnswered && count === 0 ? [`answered but not stored: ${message}`] : [];
    }),
  ];
};
