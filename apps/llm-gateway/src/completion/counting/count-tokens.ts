import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest, isServiceError } from '@witan/contracts';
import type { CountTokensRequest, CountTokensResponseSchema } from '@witan/contracts';
import type { RequestInput } from '../../masking/inspect-call.ts';
import type { MaskedBody, Privacy } from '../../masking/mask-body.ts';
import { readBody } from '../../provider/provider.ts';
import type { Provider, ProviderAnswer } from '../../provider/provider.ts';
import type { ChoicesFor } from '../../routing/choices.ts';
import type { AnswerForm } from '../attempt.ts';
import { estimateTokens } from '../estimate-tokens.ts';
import { maskFor } from '../plan-attempt.ts';
import { readWireBody, routeCall } from '../plan-call.ts';
import { prepareEgress, toRecipient } from '../prepare-egress.ts';
import type { Recipient } from '../prepare-egress.ts';
import { forwardedHeaders } from '../relay/end-relay.ts';
import { redactBody, restoreBody } from '../relay/restore-body.ts';

export type CountingDeps = {
  choicesFor: ChoicesFor;
  privacy: Privacy;
  maxOutputTokens: number;
  timeoutMs: number;
};

type TokenCount = MessageInitShape<typeof CountTokensResponseSchema>;

const COUNT_RESPONSE_BYTES_MAX = 1024 * 1024;

/**
 * Returns the number of tokens of a body, counted by the provider that a completion would try
 * first. They are estimated from the length if it cannot count in the client's dialect, fails, or
 * has an open circuit breaker. If it refuses the request, its error response is returned. Requests
 * that are routed to the local runtime are always estimated.
 */
export const countTokens = async (
  { address, wire }: CountTokensRequest,
  caller: { workspaceId: string; signal: AbortSignal },
  deps: CountingDeps,
): Promise<TokenCount> => {
  if (!address || !wire) throw invalidRequest('Counting needs an address and a body.');
  const input = readWireBody(wire);
  const signals = input.dialect.readSignals(input.body);
  const routed = await routeCall({ address, input, signals, ...caller }, deps);
  const [target] = routed.route.targets;
  const { provider, breaker } = routed.accessTo(target!.provider);
  const model = target!.model;
  const estimate = {
    inputTokens: estimateTokens(signals.promptLength),
    estimated: true,
    model,
  };
  const canCount = provider.countTokens && provider.dialects.includes(input.dialect.name);
  if (!canCount || breaker.state === 'open') return estimate;
  const recipient = toRecipient(input, provider);
  const mask = maskFor(routed, recipient, caller, deps);
  const answer = await countAtProvider(provider, input, { recipient, model, mask, caller, deps });
  return answer ? { ...answer, model } : estimate;
};

const countAtProvider = async (
  provider: Provider,
  input: Extract<RequestInput, { form: 'wire' }>,
  context: {
    recipient: Recipient;
    model: string;
    mask: (text: string) => Promise<MaskedBody>;
    caller: { signal: AbortSignal };
    deps: CountingDeps;
  },
): Promise<TokenCount | undefined> => {
  const { recipient, model, mask, caller, deps } = context;
  const { maxOutputTokens } = deps;
  const target = { model, maxOutputTokens };
  const { dialect } = recipient;
  const egress = await prepareEgress({ input, systemPreamble: '' }, recipient, target, mask);
  const signal = AbortSignal.any([caller.signal, AbortSignal.timeout(deps.timeoutMs)]);
  const { headers, query } = input;
  try {
    const call = { dialect, body: egress.bytes, headers, query, signal };
    const answer = await provider.countTokens!(call);
    const { redactError } = provider;
    const { restorer } = egress;
    return await readCount(answer, { dialect, redactError, restorer, wantsJson: false });
  } catch (error) {
    caller.signal.throwIfAborted();
    // If the provider fails or is slow, an estimate is better than an error.
    if (isServiceError(error) || signal.aborted) return undefined;
    throw error;
  }
};

/**
 * Returns the count, or the provider's error response. Returns undefined for a status of 401, 403,
 * 404 or 5xx and for an invalid response, so that the tokens are estimated.
 */
const readCount = async (
  answer: ProviderAnswer,
  form: Pick<AnswerForm, 'dialect' | 'redactError' | 'restorer' | 'wantsJson'>,
): Promise<TokenCount | undefined> => {
  const { status } = answer;
  const received = await readBody(answer, COUNT_RESPONSE_BYTES_MAX);
  const redacted = status < 400 ? received : redactBody(form, received);
  const { bytes: json, value } = restoreBody(form, redacted);
  if (!value || status === 401 || status === 403 || status === 404 || status >= 500)
    return undefined;
  if (status >= 400) return { json, status, headers: forwardedHeaders(answer) };
  const inputTokens = value.input_tokens;
  return isUint32(inputTokens) ? { json, status, inputTokens } : undefined;
};

const isUint32 = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;
