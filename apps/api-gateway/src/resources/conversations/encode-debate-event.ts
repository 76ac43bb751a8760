import { isReason, ServiceError } from '@witan/contracts';
import type {
  ConversationMessage,
  DebateDone,
  DebateEvent,
  DebateFailed,
  DebateRound,
  Dissent,
  Synthesis,
} from '@witan/contracts';
import { encodeNativeError } from '../../http/encode-native-error.ts';
import { encodeAs } from '../../http/encode.ts';
import { encodeTokenUsage } from '../certified-call.ts';
import {
  agentMessage,
  debates,
  otherMessage,
  sides,
  synthesis as synthesisSchema,
} from './conversation-schema.ts';

type EncodedEvent = { name: string; data: object };

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

export const encodeConversationMessage = (message: ConversationMessage) =>
  message.senderType === 'agent'
    ? encodeAs(agentMessage, message)
    : encodeAs(otherMessage, message);

export const encodeDebateRound = ({ report, ...round }: DebateRound) =>
  encodeAs(
    debates.items,
    { ...report!, ...round },
    {
      blocs: report!.blocs.map(({ agentIds }) => agentIds),
    },
  );

const encodeSynthesis = ({ verdicts, ...synthesis }: Synthesis) =>
  encodeAs(
    synthesisSchema,
    { ...synthesis, consensus: verdicts },
    {
      dissent: synthesis.dissent.map(encodeDissent),
      camps: synthesis.camps.map(encodeDissent),
    },
  );

const encodeDissent = (one: Dissent) =>
  encodeAs(
    sides.items,
    { ...one, whatWouldChangeTheirMind: one.wouldChangeMind },
    {
      agents: one.agentIds.map((id, index) => ({ id, name: one.agentNames[index] ?? '' })),
    },
  );
