import { isReason, ServiceError } from '@witan/contracts';
import type { DebateDone, DebateEvent, DebateFailed } from '@witan/contracts';
import { encodeNativeError } from '../../http/encode-native-error.ts';
import {
  encodeConversationMessage,
  encodeDebateRound,
  encodeSynthesis,
} from './encode-conversation.ts';
import { encodeTokenUsage } from '../encode-token-usage.ts';

export type EncodedEvent = { name: string; data: object };

/**
 * Encodes an event of a debate, with its sequence number and round. The failure of a debate becomes
 * an `error` event with a native error. Returns undefined for an event type that this version does
 * not know.
 */
export const encodeDebateEvent = (
  event: DebateEvent,
  context: { requestId: string },
): EncodedEvent | undefined => {
  const encoded = encodeData(event, context);
  return encoded && { name: encoded.name, data: { ...encodePosition(event), ...encoded.data } };
};

const encodePosition = ({ debateId, seq, roundNumber, agentId }: DebateEvent) => ({
  debateId,
  seq,
  round: roundNumber,
  ...(agentId ? { agentId } : {}),
});

const encodeData = (
  { debateId, event }: DebateEvent,
  context: { requestId: string },
): EncodedEvent | undefined => {
  switch (event.case) {
    case 'started': {
      const { conversationId, message, agents } = event.value;
      const council = agents.map(({ id, name }) => ({ id, name }));
      const data = { conversationId, message: encodeConversationMessage(message!) };
      return { name: 'debate.started', data: { ...data, agents: council } };
    }
    case 'framed': {
      const issues = event.value.issues.map(({ id, proposition, weight }) => ({
        id,
        proposition,
        weight,
      }));
      return { name: 'frame', data: { issues } };
    }
    case 'roundStarted':
      return { name: 'round.started', data: {} };
    case 'agentDelta':
      return { name: 'agent.delta', data: { content: event.value } };
    case 'agentCompleted':
      return { name: 'agent.completed', data: { message: encodeConversationMessage(event.value) } };
    case 'agentFailed': {
      const { agentName, reason } = event.value;
      return { name: 'agent.failed', data: { agentName, reason } };
    }
    case 'roundCompleted':
      return { name: 'round.completed', data: encodeDebateRound(event.value) };
    case 'synthesisDelta':
      return { name: 'synthesis.delta', data: { content: event.value } };
    case 'synthesisCompleted': {
      const { message, synthesis } = event.value;
      const data = { message: encodeConversationMessage(message!) };
      return {
        name: 'synthesis.completed',
        data: { ...data, synthesis: encodeSynthesis(synthesis!) },
      };
    }
    case 'done':
      return { name: 'done', data: encodeDebateDone(debateId, event.value) };
    case 'failed':
      return { name: 'error', data: encodeNativeError(toFailure(event.value), context).body };
    case undefined:
      return undefined;
  }
};

export const encodeDebateDone = (debateId: string, done: DebateDone) => ({
  messages: done.messages.map(encodeConversationMessage),
  convergenceScore: done.convergenceScore,
  debateId,
  debates: done.debates.map(encodeDebateRound),
  synthesis: encodeSynthesis(done.synthesis!),
  usage: encodeTokenUsage(done.usage),
  proofs: done.proofIds,
});

export const toFailure = ({ kind, code, message }: DebateFailed): ServiceError =>
  new ServiceError(isReason(kind) ? kind : 'PROVIDER_INVALID_ANSWER', message, {
    fields: code ? { code } : {},
  });
