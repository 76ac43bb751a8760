import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { isServiceError } from '@witan/contracts';
import type { DebateEvent } from '@witan/contracts';
import type { CertificateService, ConversationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { verifyScope } from '../auth/scope.ts';
import { encodeNativeError } from '../http/encode-native-error.ts';
import { optionsOf } from '../http/route.ts';
import type { RouteCall } from '../http/route.ts';
import { encodeDebateDone, toFailure } from '../resources/conversations/encode-debate-event.ts';
import { DEBATE_ID } from '../resources/resource-id.ts';
import { missingCapability, supportsTasks, TASKS_EXTENSION } from './envelope.ts';
import { invalidParams } from './json-rpc.ts';
import type { McpCall, McpMethods, McpResult } from './mcp-method.ts';
import { readProofMeta, toErrorResult, toTextResult } from './tool-result.ts';

export type DebateTaskDeps = {
  conversations: Client<typeof ConversationService>;
  certificates: Client<typeof CertificateService>;
};

const POLL_INTERVAL_MS = 2_000;
export const CANCELLED_CODE = 'debate_cancelled';

/**
 * Returns the methods of the Tasks extension. A task is a debate and has its id: it is durable
 * before its client learns of it, any client of the workspace can pick it up, and it is stored
 * until its conversation is deleted.
 */
export const createTaskMethods = (deps: DebateTaskDeps): McpMethods => ({
  'tasks/get': async (mcpCall) => {
    const debate = await getDebate(mcpCall, deps, 'conversations:read');
    return await describeTask(debate, mcpCall.call, deps);
  },
  // A debate asks its caller for nothing, so that responses to requests are ignored.
  'tasks/update': async (mcpCall) => {
    await getDebate(mcpCall, deps, 'conversations');
    return {};
  },
  'tasks/cancel': async (mcpCall) => {
    const { debateId } = await getDebate(mcpCall, deps, 'conversations');
    await deps.conversations.cancelDebate({ debateId }, optionsOf(mcpCall.call));
    return {};
  },
});

type Debate = {
  debateId: string;
  state: string;
  lastEvent?: DebateEvent;
  createdAt?: Timestamp;
  updatedAt?: Timestamp;
};

const getDebate = async (
  { params: { taskId }, envelope, call }: McpCall,
  { conversations }: DebateTaskDeps,
  scope: 'conversations' | 'conversations:read',
): Promise<Debate> => {
  if (!supportsTasks(envelope)) throw missingCapability({ extensions: { [TASKS_EXTENSION]: {} } });
  verifyScope(call.principal!, [scope]);
  if (typeof taskId !== 'string' || !DEBATE_ID.is(taskId)) throw unknownTask();
  try {
    const debate = await conversations.getDebate({ debateId: taskId }, optionsOf(call));
    return { debateId: taskId, ...debate };
  } catch (error) {
    if (isServiceError(error) && error.reason === 'NOT_FOUND') throw unknownTask();
    throw error;
  }
};

const unknownTask = () => invalidParams('There is no such task in this workspace.');

/** Returns the task as a new one, for the response to the call that started the debate. */
export const toNewTask = (debateId: string, createdAt: Date): McpResult => ({
  resultType: 'task',
  ...toTask({ debateId, status: 'working', createdAt, updatedAt: createdAt }),
});

type TaskHead = {
  debateId: string;
  status: 'working' | 'completed' | 'cancelled';
  createdAt: Date;
  updatedAt: Date;
};

const toTask = ({ debateId, status, createdAt, updatedAt }: TaskHead) => ({
  taskId: debateId,
  status,
  createdAt: createdAt.toISOString(),
  lastUpdatedAt: updatedAt.toISOString(),
  ttlMs: null,
  pollIntervalMs: POLL_INTERVAL_MS,
});

const describeTask = async (
  { debateId, lastEvent, createdAt, updatedAt }: Debate,
  call: RouteCall,
  deps: DebateTaskDeps,
): Promise<McpResult> => {
  const outcome = lastEvent && (await toDebateResult(lastEvent, call, deps));
  const isCancelled =
    lastEvent?.event.case === 'failed' && lastEvent.event.value.code === CANCELLED_CODE;
  const status = isCancelled ? 'cancelled' : outcome ? 'completed' : 'working';
  const times = { createdAt: timestampDate(createdAt!), updatedAt: timestampDate(updatedAt!) };
  return {
    ...toTask({ debateId, status, ...times }),
    ...(lastEvent && { statusMessage: describeEvent(lastEvent) }),
    ...(status === 'completed' && { result: { resultType: 'complete', ...outcome } }),
  };
};

/** Returns the tool result of a debate whose last event this is; undefined while it runs. */
export const toDebateResult = async (
  { debateId, event }: DebateEvent,
  call: RouteCall,
  { certificates }: Pick<DebateTaskDeps, 'certificates'>,
): Promise<McpResult | undefined> => {
  if (event.case === 'failed') {
    const { requestId } = call;
    return toErrorResult(encodeNativeError(toFailure(event.value), { requestId }).body.error);
  }
  if (event.case !== 'done') return undefined;
  const json = encodeDebateDone(debateId, event.value);
  const synthesis = event.value.messages.findLast(({ senderType }) => senderType === 'synthesis');
  // The certificate of the text comes first. A synthesis that no model wrote has none.
  const proofIds = [...new Set([...(synthesis?.proofIds.toReversed() ?? []), ...json.proofs])];
  const meta = await readProofMeta(proofIds, call, certificates);
  return toTextResult(json.synthesis.content, json, meta);
};

/** Describes the newest event of a debate for people. */
export const describeEvent = ({ event, roundNumber }: DebateEvent): string => {
  switch (event.case) {
    case 'started':
      return `Debate started with ${event.value.agents.length} agents`;
    case 'agentCompleted':
      return `Round ${roundNumber}: ${event.value.agentName} answered`;
    case 'agentFailed':
      return `Round ${roundNumber}: no answer of ${event.value.agentName}`;
    case 'roundCompleted':
      return `Round ${roundNumber} ended, convergence ${event.value.convergenceScore}`;
    case 'failed':
      return event.value.message;
    case 'done':
    case 'synthesisCompleted':
      return 'Synthesis written';
    default:
      return roundNumber === 0 ? 'Question framed' : `Round ${roundNumber} started`;
  }
};
