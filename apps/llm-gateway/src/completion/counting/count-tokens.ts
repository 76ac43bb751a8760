import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { CountTokensRequest, CountTokensResponseSchema } from '@witan/contracts';
import type { Privacy } from '../../masking/mask-request.ts';
import type { ChoicesFor } from '../../routing/choices.ts';
import { estimateTokens, readWireBody, routeCall } from '../plan.ts';

export type CountingDeps = { choicesFor: ChoicesFor; privacy: Privacy };

/**
 * Returns an estimate of the number of tokens of a body, and the model that a completion would try
 * first. Nothing is sent to a provider, because no call may reach one without a certificate. Throws
 * as a completion does for an address that cannot be used.
 */
export const countTokens = async (
  { address, wire }: CountTokensRequest,
  caller: { workspaceId: string; signal: AbortSignal },
  deps: CountingDeps,
): Promise<MessageInitShape<typeof CountTokensResponseSchema>> => {
  if (!address || !wire) throw invalidRequest('Counting needs an address and a body.');
  const input = readWireBody(wire);
  const signals = input.dialect.readSignals(input.body.value);
  const { route } = await routeCall({ address, input, signals, ...caller }, deps);
  return { inputTokens: estimateTokens(signals.promptLength), model: route.targets[0]!.model };
};
