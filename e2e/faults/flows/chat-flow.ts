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
  const asked: SentMessage[] = [];
  return {
    name: isStreamed ? 'chat, streamed' : 'chat',
    call: async () => {
      const message = `Question ${asked.length + 1}: shall we open a second shop?`;
      const turn = { message, isAnswered: false };
      asked.push(turn);
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
      return findChatViolations(asked, stored.session.messages);
    },
  };
};

/**
 * Checks that each chat turn is stored completely or not at all and at most once, and that every
 * turn whose response was complete is stored.
 */
export const findChatViolations = (
  asked: readonly SentMessage[],
  stored: Session['session']['messages'],
): string[] => {
  const questions = stored.filter(({ senderType }) => senderType === 'user');
  const times = (message: string): number =>
    questions.filter(({ content }) => content === message).length;
  const isPaired = stored.every(
    ({ senderType }, index) => senderType === (index % 2 === 0 ? 'user' : 'agent'),
  );
  return [
    ...(isPaired && stored.length % 2 === 0 ? [] : ['messages do not come in pairs']),
    ...asked.flatMap(({ message, isAnswered }) => {
      const count = times(message);
      if (count > 1) return [`kept ${count} times: ${message}`];
      return isAnswered && count === 0 ? [`answered and not kept: ${message}`] : [];
    }),
  ];
};
