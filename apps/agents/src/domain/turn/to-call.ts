import type { ModelCall, OpenCall, Prompt } from '../model/model-call.ts';
import type { Turn } from './turn.ts';

export type TurnDeps = {
  openCall: OpenCall;
  newId: (prefix: string) => string;
};

/** A model call of a turn: certified as the agent's. */
export const toCall = (
  { agent, requested, isSensitive, requestSha256 }: Turn,
  { proofId, prompt }: { proofId: string; prompt: Prompt },
): ModelCall => ({
  proofId,
  requestSha256,
  purpose: 'chat',
  address: {
    requested,
    kind: 'agent',
    agent: agent.slug,
    model: agent.model,
    sensitive: isSensitive,
  },
  prompt,
  isGrounded: true,
});
