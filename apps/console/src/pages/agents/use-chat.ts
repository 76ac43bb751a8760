import {
  skipToken,
  useIsMutating,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { postEvents } from '../../api/post-events.ts';
import { sessionSignal } from '../../app/session.ts';
import { applyChatEvent, failTurn, startTurn, stopTurn, toNotes } from './chat-turn.ts';
import type { AnswerNotes, ChatAnswer, ChatRequest, ChatTurn } from './chat-turn.ts';
import { memoriesQuery } from './memories-query.ts';
import { sessionQuery, sessionsQuery } from './sessions-query.ts';

/** The turn that is answered, with what ends it early; null after its answer was stored. */
type Running = { turn: ChatTurn; stop: () => void } | null;

const keyOf = (agentId: string) => ['agent-turn', agentId] as const;

/**
 * Chats with an agent, one turn at a time. The turn is in the caches, not in the component, so that
 * it goes on when another page of the console is opened. Closing or reloading the console ends it,
 * and nothing of it is stored.
 */
export const useChat = (agentId: string) => {
  const client = useQueryClient();
  const mutationKey = keyOf(agentId);
  const isRunning = useIsMutating({ mutationKey }) > 0;
  const { data: running } = useQuery<Running>({
    queryKey: mutationKey,
    queryFn: skipToken,
    gcTime: Infinity,
  });
  const { mutate: send } = useMutation({
    mutationKey,
    mutationFn: (request: ChatRequest) => runTurn(client, agentId, request),
  });
  const dismiss = (): void => void client.setQueryData<Running>(mutationKey, null);
  return { turn: running?.turn, stop: running?.stop, isRunning, send, dismiss };
};

/** Resolves with the answer when it is stored, and with undefined if the turn failed. */
const runTurn = async (
  client: QueryClient,
  agentId: string,
  request: ChatRequest,
): Promise<ChatAnswer | undefined> => {
  const stream = new AbortController();
  const ended = sessionSignal();
  let turn = startTurn(request);
  const show = (next: ChatTurn): void => {
    turn = next;
    if (ended.aborted) return;
    client.setQueryData(keyOf(agentId), { turn, stop: () => stream.abort() });
  };
  show(turn);
  const path = `/v1/agents/${encodeURIComponent(agentId)}/chat`;
  const signal = AbortSignal.any([stream.signal, ended]);
  const call = { body: request, signal, last: 'done', reconnectsMax: 0 };
  try {
    for await (const answered of postEvents(path, call)) {
      if (answered.event !== 'done') show(applyChatEvent(turn, answered));
      else return await storeAnswer(client, agentId, answered.content as ChatAnswer);
    }
  } catch (error) {
    show(stream.signal.aborted ? stopTurn(turn) : failTurn(turn, error));
  }
  return undefined;
};

/** Replaces the turn by the stored messages, and loads again what the answer has changed. */
const storeAnswer = async (
  client: QueryClient,
  agentId: string,
  answer: ChatAnswer,
): Promise<ChatAnswer> => {
  const { sessionId, proofs, memoriesSaved } = answer;
  client.setQueryData(notesKey(proofs), toNotes(answer));
  await client.fetchQuery({ ...sessionQuery(agentId, sessionId), staleTime: 0 });
  client.setQueryData<Running>(keyOf(agentId), null);
  void client.invalidateQueries({ queryKey: sessionsQuery(agentId).queryKey });
  if (memoriesSaved.length > 0) {
    void client.invalidateQueries({ queryKey: memoriesQuery(agentId).queryKey });
  }
  return answer;
};

/** The last certificate of a turn is that of its answer, so it identifies the stored message. */
const notesKey = (proofs: readonly string[]) => ['agent-notes', proofs.at(-1) ?? ''] as const;

/** Returns the notes of an answer of this visit; the API stores none. */
export const useNotes = (proofs: readonly string[]): AnswerNotes | undefined =>
  useQuery<AnswerNotes>({ queryKey: notesKey(proofs), queryFn: skipToken, gcTime: Infinity }).data;
