import { createHash } from 'node:crypto';
import { isServiceError } from '@witan/contracts';
import type { DebateEvent } from '@witan/contracts';
import type { Log } from '@witan/service-kit';
import { verifyScope } from '../auth/scope.ts';
import { optionsOf } from '../http/route.ts';
import type { Route, RouteCall } from '../http/route.ts';
import { text } from '../http/schema.ts';
import { compileNativeBody } from '../http/validate.ts';
import { openProof } from '../resources/certified-call.ts';
import { NEW_MESSAGE } from '../resources/conversations/conversation-schema.ts';
import { isLastEvent } from '../resources/conversations/debate-position.ts';
import { followAcrossReplicas } from '../resources/follow-across-replicas.ts';
import { CONVERSATION_ID } from '../resources/resource-id.ts';
import { hasDisconnected } from '../http/route.ts';
import { releaseWhenClosed } from '../server/limits.ts';
import type { Limits } from '../server/limits.ts';
import { describeEvent, toDebateResult, toNewTask } from './debate-task.ts';
import type { DebateTaskDeps } from './debate-task.ts';
import { supportsTasks } from './envelope.ts';
import type { McpResult } from './mcp-method.ts';
import { errorOf, isFailure } from './route-result.ts';
import { ASKS, outputSchemaOf } from './route-tools.ts';
import type { RouteToolDeps } from './route-tools.ts';
import { toErrorResult } from './tool-result.ts';
import type { Tool, ToolCall } from './tool.ts';

export type AskCouncilDeps = RouteToolDeps &
  DebateTaskDeps & {
    clock: () => Date;
    /** Timeout of following a debate. */
    timeoutMs: number;
    takeStream: Limits['takeStream'];
    log: Log;
  };

const { description: _restOfRoute, ...content } = NEW_MESSAGE.properties.content;

const INPUT = {
  type: 'object',
  required: ['content'],
  properties: {
    content: { ...content, description: 'The question' },
    conversationId: {
      ...text,
      description: 'A conversation to continue; without it a new one begins',
    },
  },
} as const;

/**
 * Returns the tool that has the council debate a question. For a client with the Tasks extension
 * the result is a task; otherwise the call waits for the synthesis and reports progress.
 */
export const createAskCouncil = (deps: AskCouncilDeps): Tool => {
  const route = deps.routeOf('holdDebate');
  const start = createStart(route, deps);
  return {
    name: 'ask_council',
    title: 'Ask the council',
    description:
      'Has all advisers of the workspace debate a question in rounds, and returns what they ' +
      'agree on, who dissents and why. Takes one to some minutes.',
    scopes: route.scopes ?? [],
    inputSchema: INPUT,
    outputSchema: outputSchemaOf(route),
    annotations: ASKS,
    run: async (toolCall) => {
      const { response, principal } = toolCall.call;
      // A call that waits for its debate is one of the concurrent streams of its key.
      if (!supportsTasks(toolCall.envelope)) {
        releaseWhenClosed(response, deps.takeStream(principal!.keyId));
      }
      return await askCouncil(toolCall, start, deps);
    },
  };
};

const TITLE_LENGTH_MAX = 200;

const askCouncil = async (
  toolCall: ToolCall,
  start: Start,
  deps: AskCouncilDeps,
): Promise<McpResult> => {
  const { args, call, envelope, idempotencyKey } = toolCall;
  start.verify(toolCall);
  const conversation = await openConversation(toolCall, deps);
  if ('error' in conversation) return toErrorResult(conversation.error);
  const { conversationId } = conversation;
  const started = await deps.callRoute(
    start.route,
    {
      params: { id: conversationId },
      bodyText: JSON.stringify({ content: args.content }),
      idempotencyKey,
    },
    call,
  );
  if (isFailure(started)) return toErrorResult(errorOf(started));
  const { debateId } = started.json as { debateId: string };
  if (supportsTasks(envelope)) return toNewTask(debateId, deps.clock());
  return await followToEnd({ conversationId, debateId }, toolCall, deps);
};

type Start = {
  route: Route;
  /**
   * Throws ServiceError if the call lacks a scope or its arguments are not valid, before a
   * conversation is created for it.
   */
  verify: (toolCall: Pick<ToolCall, 'args' | 'call'>) => void;
};

const createStart = (holdDebate: Route, deps: AskCouncilDeps): Start => {
  const route = createStartRoute(holdDebate, deps);
  const checkArguments = compileNativeBody(INPUT);
  return {
    route,
    verify: ({ args, call }) => {
      verifyScope(call.principal!, route.scopes ?? []);
      checkArguments(args, { isStrict: false });
    },
  };
};

/** Arguments that were verified. */
type Arguments = { content: string; conversationId?: string };

type OpenedConversation = { conversationId: string } | { error: unknown };

const openConversation = async (
  { args, call, idempotencyKey }: ToolCall,
  { callRoute, routeOf }: AskCouncilDeps,
): Promise<OpenedConversation> => {
  const { conversationId, content: question } = args as Arguments;
  if (conversationId !== undefined) return { conversationId };
  const title = question.replaceAll(/\s+/g, ' ').trim().slice(0, TITLE_LENGTH_MAX);
  const created = await callRoute(
    routeOf('createConversation'),
    {
      bodyText: JSON.stringify({ title: title.toWellFormed() }),
      // A key of its own, so that a repeated call finds the conversation of the first one.
      idempotencyKey: idempotencyKey && `mcp-${sha256(idempotencyKey)}`,
    },
    call,
  );
  if (isFailure(created)) return { error: errorOf(created) };
  const { conversation } = created.json as { conversation: { id: string } };
  return { conversationId: conversation.id };
};

const sha256 = (value: string): string => createHash('sha256').update(value).digest('hex');

/**
 * Returns the operation that starts a debate and answers with its id as soon as it is stored. It is
 * the operation of the API without the wait for the end; its path differs, so that an
 * Idempotency-Key stands for one of the two.
 */
const createStartRoute = (
  route: Route,
  { conversations, timeoutMs }: Pick<AskCouncilDeps, 'conversations' | 'timeoutMs'>,
): Route => ({
  ...route,
  path: '/mcp/conversations/{id}/debates',
  body: { ...NEW_MESSAGE, required: ['content'] },
  handle: async (call) => {
    const { content: question } = call.body as { content: string };
    const request = {
      conversationId: CONVERSATION_ID.read(call.params.id, 'conversationId'),
      content: question,
      streamed: false,
      ...openProof(call),
    };
    const options = { ...optionsOf(call), timeoutMs };
    for await (const { debateId } of conversations.holdDebate(request, options)) {
      return { status: 200, json: { debateId } };
    }
    throw new Error('The stream of a debate ended without an event');
  },
});

type DebateIds = { conversationId: string; debateId: string };

/** Follows a debate to its end and reports each event as progress. */
const followToEnd = async (
  ids: DebateIds,
  toolCall: ToolCall,
  deps: AskCouncilDeps,
): Promise<McpResult> => {
  const { call, idempotencyKey } = toolCall;
  try {
    return await readToEnd(ids, toolCall, deps);
  } catch (error) {
    // Without an idempotency key no client can ask for the result again, so that a client that
    // closes the stream ends the debate. A stop of this gateway does not: what the debate has
    // spent so far would be lost.
    const isAbandoned = hasDisconnected(call.signal) && idempotencyKey === undefined;
    if (isAbandoned) await cancel(ids, call, deps);
    throw error;
  }
};

const readToEnd = async (
  { conversationId, debateId }: DebateIds,
  { call, envelope: { progressToken }, notify }: ToolCall,
  { conversations, timeoutMs, certificates }: AskCouncilDeps,
): Promise<McpResult> => {
  const options = { ...optionsOf(call), timeoutMs };
  const followAfter = (afterSeq: number): AsyncIterable<DebateEvent> =>
    conversations.followDebate({ conversationId, debateId, afterSeq, streamed: false }, options);
  const events = followAcrossReplicas(followAfter(0), ({ seq }) => followAfter(seq), {
    signal: call.signal,
    isLast: isLastEvent,
  });
  let progress = 0;
  for await (const event of events) {
    progress += 1;
    const result = await toDebateResult(event, call, { certificates });
    if (result) return result;
    if (progressToken === undefined) continue;
    const params = { progressToken, progress, message: describeEvent(event) };
    notify({ method: 'notifications/progress', params });
  }
  throw new Error('The stream of a debate ended without its final event');
};

const cancel = async (
  { debateId }: DebateIds,
  call: RouteCall,
  { conversations, log }: AskCouncilDeps,
): Promise<void> => {
  try {
    // The call's own signal is aborted already.
    await conversations.cancelDebate({ debateId }, { ...optionsOf(call), signal: undefined });
  } catch (error) {
    const reason = isServiceError(error) ? error.reason : 'INTERNAL';
    log.warn(
      { event: 'debate_cancel_failed', debateId, reason },
      'Could not cancel the debate of a client that left; it runs to its end',
    );
  }
};
