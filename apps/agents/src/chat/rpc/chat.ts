import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { ChatEventSchema, ChatRequest as ChatMessage, ContextItem } from '@witan/contracts';
import type { ChatService } from '@witan/contracts/services';
import { withSpanOver } from '@witan/service-kit';
import type { Handlers, OpenSpan } from '@witan/service-kit';
import { INVOKE_AGENT, toDroppedParams } from '../../turn/rpc/turn.ts';
import { toToolRun } from '../../tool/rpc/tools.ts';
import { chat } from '../chat.ts';
import type { ChatDeps, ChatPiece } from '../chat.ts';
import type { ChatRequest } from '../prepare-chat.ts';
import type { SavedMemory } from '../../session/session.ts';
import type { Priority, PromptItem } from '../../prompt/prompt-item.ts';

const TEMPERATURE = 0.8;
const MAX_TOKENS = 1_500;

export const createChatHandlers = (deps: ChatDeps): Handlers<typeof ChatService> => ({
  chat: (message, { workspaceId, requestId, actorId, signal }) =>
    withSpanOver(INVOKE_AGENT, (span) =>
      answer(
        message,
        chat(toRequest(message), { workspaceId, requestId, actorId, signal }, deps),
        span,
      ),
    ),
});

async function* answer(
  message: Pick<ChatMessage, 'streamed' | 'temperature'>,
  pieces: AsyncIterable<ChatPiece>,
  span: OpenSpan,
): AsyncGenerator<Event> {
  for await (const piece of pieces) {
    if (piece.kind === 'opened') {
      span.setAttributes({
        'gen_ai.agent.id': piece.agent.id,
        'gen_ai.agent.name': piece.agent.slug,
      });
    }
    const isPiece = piece.kind === 'delta' || piece.kind === 'tool';
    // Without streaming, only the first and the last event are sent.
    if (message.streamed || !isPiece) yield toEvent(piece, message);
  }
}

const toRequest = (message: ChatMessage): ChatRequest => ({
  agentId: message.agentId,
  message: message.message,
  ...(message.sessionId === '' ? {} : { sessionId: message.sessionId }),
  context: message.context.map(toPromptItem),
  ...(message.extraction ? { extraction: message.extraction } : {}),
  ...(message.tools
    ? { tools: { areOffered: message.tools.enabled, ids: message.tools.toolIds } }
    : {}),
  options: {
    reflection: message.reflection,
    temperature: message.temperature ?? TEMPERATURE,
    maxOutputTokens: message.maxTokens ?? MAX_TOKENS,
    ...(message.json ? { json: message.json } : {}),
  },
  isStreamed: message.streamed,
  proofId: message.proofId,
  requestSha256: message.requestSha256,
});

const PRIORITIES: ReadonlySet<string> = new Set<Priority>(['high', 'medium', 'low']);

export const toPromptItem = (item: ContextItem): PromptItem => {
  const { category, label, data, isJson, priority } = item;
  if (priority !== '' && !PRIORITIES.has(priority)) {
    throw invalidRequest('priority must be high, medium or low.', { param: 'context.priority' });
  }
  return {
    category,
    data: isJson ? (JSON.parse(data) as object) : data,
    ...(label === '' ? {} : { label }),
    ...(priority === '' ? {} : { priority: priority as Priority }),
  };
};

type Event = MessageInitShape<typeof ChatEventSchema>;

const toEvent = (piece: ChatPiece, message: Pick<ChatMessage, 'temperature'>): Event => {
  if (piece.kind === 'delta') return { event: { case: 'delta', value: piece.text } };
  if (piece.kind === 'tool') return { event: { case: 'tool', value: toToolRun(piece.run) } };
  if (piece.kind === 'opened') {
    const { agent, sessionId, model, proofId } = piece;
    const droppedParams = toDroppedParams(piece.droppedParams, message);
    const agentFields = { agentId: agent.id, agentName: agent.name };
    const value = { ...agentFields, sessionId, model, proofId, droppedParams };
    return { event: { case: 'opened', value } };
  }
  const { agent, content, object, finishReason, thoughts, usage, proofIds } = piece;
  return {
    event: {
      case: 'ended',
      value: {
        agentRole: agent.role,
        content,
        finishReason,
        contentJson: object === undefined ? '' : JSON.stringify(object),
        thoughts,
        memoriesSaved: piece.memoriesSaved.map(toSavedMemory),
        extracted: piece.extracted,
        usage,
        proofIds,
        memoriesOmitted: piece.memoriesOmitted,
        exchangesSummarized: piece.exchangesSummarized,
        toolCalls: piece.toolRuns.map(toToolRun),
      },
    },
  };
};

const toSavedMemory = ({ key, value, type, isLocalOnly, isGlobalDenied }: SavedMemory) => ({
  key,
  value,
  type,
  localOnly: isLocalOnly,
  globalDenied: isGlobalDenied,
});
