import type { ConversationMessage, DebateRound, Dissent, Synthesis } from '@witan/contracts';
import { encodeAs } from '../../http/encode.ts';
import {
  agentMessage,
  debates,
  otherMessage,
  sides,
  synthesis as synthesisSchema,
} from './conversation-schema.ts';

export const encodeConversationMessage = (message: ConversationMessage) => {
  const proofs = message.proofIds;
  return message.senderType === 'agent'
    ? encodeAs(agentMessage, message, { proofs })
    : encodeAs(otherMessage, message, { proofs });
};

export const encodeDebateRound = ({ report, ...round }: DebateRound) =>
  encodeAs(
    debates.items,
    { ...report!, ...round },
    {
      blocs: report!.blocs.map(({ agentIds }) => agentIds),
    },
  );

export const encodeSynthesis = ({ verdicts, ...synthesis }: Synthesis) =>
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
