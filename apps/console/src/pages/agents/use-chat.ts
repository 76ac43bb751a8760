import {
  skipToken,
  useIsMutating,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.ts';
import { postEvents } from '../../api/post-events.ts';
import { sessionSignal } from '../../app/session.ts';
import { applyChatEvent, failTurn, startTurn, stopTurn, toNotes } from './chat-turn.ts';
import type { AnswerNotes, ChatAnswer, ChatRequest, ChatTurn } from './chat-turn.ts';
import { memoriesQuery } from './memories-query.ts';
import { createSession, deleteSession, sessionQuery, sessionsQuery } from './sessions-query.ts';

/** The turn that is answered, with what ends it early; null after its answer was stored. */
type Running = { turn: ChatTurn; stop: () => void } | null;

const keyOf = (agentId: string) => ['agent-turn', agentId] as const;

/**
 * Chats with an agent, one turn at a time. The turn is in the caches, not in the component, so that
 * it goes on when another page of the console is opened. Closing or reloading the console, or
 * signing out, ends it, and it may not be stored.
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
  let answer: ChatAnswer | undefined;
  let createdId: string | undefined;
  try {
    const sessionId =
      request.sessionId ?? (createdId = await createSession(agentId, request.message));
    const call = { body: { ...request, sessionId }, signal, last: 'done', reconnectsMax: 0 };
    for await (const answered of postEvents(path, call)) {
      if (answered.event === 'done') answer = answered.content as ChatAnswer;
      else show(applyChatEvent(turn, answered));
    }
  } catch (error) {
    // Once the answer is stored, an error of its connection does not matter.
    if (answer === undefined) {
      show(stream.signal.aborted ? stopTurn(turn) : failTurn(turn, error));
      // The server answered, so nothing of the turn is stored. Otherwise the turn may be.
      if (createdId !== undefined && error instanceof ApiError) {
        await deleteSession(agentId, createdId).catch(ignoreEmptySession);
      }
    }
  }
  if (ended.aborted) return undefined;
  if (answer !== undefined) await showStored(client, agentId, answer);
  else refreshSession(client, agentId, request.sessionId);
  return answer;
};

/** An empty session that could not be deleted is listed, and can be continued or deleted there. */
const ignoreEmptySession = (): void => undefined;

/** Loads the session again: a turn that was stopped or lost its connection may be stored too. */
const refreshSession = (
  client: QueryClient,
  agentId: string,
  sessionId: ChatRequest['sessionId'],
): void => {
  void client.invalidateQueries({ queryKey: sessionsQuery(agentId).queryKey });
  if (sessionId) {
    void client.invalidateQueries({ queryKey: sessionQuery(agentId, sessionId).queryKey });
  }
};

/**
 * Replaces the turn by the stored messages, and loads again what the answer has changed. If they
 * cannot be loaded, the page of the session shows the error; the turn is gone in any case, because
 * it must not be asked twice.
 */
const showStored = async (
  client: QueryClient,
  agentId: string,
  answer: ChatAnswer,
): Promise<void> => {
  const { sessionId, proofs, memoriesSaved } = answer;
  const ended = sessionSignal();
  const session = sessionQuery(agentId, sessionId);
  client.setQueryData(notesKey(proofs), toNotes(answer));
  await client.prefetchQuery({ ...session, staleTime: 0 }); // Never rejects.
  if (ended.aborted) return;
  client.setQueryData<Running>(keyOf(agentId), null);
  if (client.getQueryState(session.queryKey)?.status === 'error') {
    void client.resetQueries({ queryKey: session.queryKey });
  }
  void client.invalidateQueries({ queryKey: sessionsQuery(agentId).queryKey });
  if (memoriesSaved.length > 0) {
    void client.invalidateQueries({ queryKey: memoriesQuery(agentId).queryKey });
  }
};

/** The last certificate of a turn is that of its answer, so it identifies the stored message. */
const notesKey = (proofs: readonly string[]) => ['agent-notes', proofs.at(-1) ?? ''] as const;

/** Returns the notes of an answer of this visit; the API stores none. */
export const useNotes = (proofs: readonly string[]): AnswerNotes | undefined =>
  useQuery<AnswerNotes>({ queryKey: notesKey(proofs), queryFn: skipToken, gcTime: Infinity }).data;
