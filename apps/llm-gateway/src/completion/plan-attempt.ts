import { invalidRequest, isServiceError, ServiceError } from '@witan/contracts';
import type { EndpointName } from '@witan/dialects';
import { leaveUnmasked } from '../masking/mask-body.ts';
import type { MaskedBody, Privacy } from '../masking/mask-body.ts';
import { LOCAL_PROVIDER } from '../provider/provider.ts';
import type { AttemptPosition, Intent, PlannedAttempt } from './attempt.ts';
import type { CompletionDeps } from './completion.ts';
import { estimateTokenNeed } from './estimate-tokens.ts';
import { toUnsentFailure } from './outcome.ts';
import type { FailedAttempt } from './outcome.ts';
import type { CallContext, PlannedCall } from './plan-call.ts';
import { prepareEgress, toRecipient } from './prepare-egress.ts';
import type { Egress } from './prepare-egress.ts';

/**
 * Call -> planned: builds the exact bytes for a target and requests a permit from its circuit
 * breaker. Fails, for example, if the provider's dialect cannot express the request, if masking
 * fails, or if the breaker admits no call. A crash here costs nothing: nothing is stored or sent.
 */
export const planAttempt = async (
  call: PlannedCall,
  position: AttemptPosition,
  context: CallContext,
  deps: CompletionDeps,
): Promise<PlannedAttempt | FailedAttempt> => {
  try {
    return await plan(call, position, context, deps);
  } catch (error) {
    const isUnsupported = isServiceError(error) && error.reason === 'INVALID_REQUEST';
    const state = isUnsupported ? 'unsupported' : 'unsent';
    return { state, failure: toUnsentFailure(error), providerMs: 0 };
  }
};

const plan = async (
  call: PlannedCall,
  position: AttemptPosition,
  context: CallContext,
  deps: CompletionDeps,
): Promise<PlannedAttempt> => {
  const { target, proofId, index, isSchemaRefused } = position;
  const { input, route, summary } = call;
  const { provider, breaker } = call.accessTo(target.provider);
  const { maxOutputTokens, isMetered } = deps;
  const schemaRecipient = { workspaceId: context.workspaceId, provider, model: target.model };
  const acceptsSchema = !isSchemaRefused && deps.schemas.isAccepted(schemaRecipient);
  const recipient = { ...toRecipient(input, provider), acceptsSchema };
  checkReadable(call, provider.name);
  const mask = maskFor(call, recipient, context, deps);
  const build = (limit: { maxOutputTokens: number; isLimited: boolean }): Promise<Egress> =>
    prepareEgress(call, recipient, { model: target.model, ...limit }, mask);
  const egress = await build({ maxOutputTokens, isLimited: isMetered });
  const settle = breaker.admit();
  if (!settle) throw circuitOpenError(provider.name);
  const reason = index === 0 ? route.reason : 'fallback';
  const intent: Intent = { proofId, call: summary, target, egress: commitmentOf(egress), reason };
  // Headers and query belong to the client's dialect and are not sent in another one.
  const { headers, query } =
    input.form === 'wire' && !egress.isNeutral ? input : { headers: {}, query: '' };
  return {
    state: 'planned',
    position,
    intent,
    provider,
    dialect: recipient.dialect,
    egress,
    need: estimateTokenNeed({ input, promptTokens: summary.promptTokens }, egress, maxOutputTokens),
    headers,
    query,
    limitOutput: (limit) => build({ maxOutputTokens: limit, isLimited: true }),
    settle,
  };
};

/**
 * Returns the part of the egress that the certificate contains: the hash and what was masked,
 * without the bytes.
 */
export const commitmentOf = ({ sha256, pii }: Egress): Intent['egress'] => ({ sha256, pii });

/**
 * Returns the function that masks bodies for a provider in a dialect. It changes nothing for the
 * local runtime and for calls that are routed as local.
 */
export const maskFor = (
  call: Pick<PlannedCall, 'route' | 'privacy'>,
  { name: provider, dialect }: { name: string; dialect: EndpointName },
  { workspaceId, signal }: CallContext,
  { privacy }: { privacy: Pick<Privacy, 'maskBody'> },
): ((text: string) => Promise<MaskedBody>) => {
  if (staysLocal(call, provider)) return leaveUnmasked;
  const settings = call.privacy;
  return (text) => privacy.maskBody(text, { workspaceId, provider, dialect, settings, signal });
};

const staysLocal = ({ route }: Pick<PlannedCall, 'route'>, provider: string): boolean =>
  route.isLocal || provider === LOCAL_PROVIDER;

/**
 * Throws INVALID_REQUEST for text that cannot be masked, because it is in the form of tokens, if it
 * would leave the machine and the workspace has not disabled masking.
 */
const checkReadable = ({ input, privacy, route }: PlannedCall, provider: string): void => {
  const path = input.form === 'wire' ? input.dialect.findUnreadable?.(input.body) : undefined;
  if (path === undefined || staysLocal({ route }, provider) || !masksAnything(privacy)) return;
  throw invalidRequest(
    `${path}: tokens cannot be masked, nor anything else but texts, so they are not sent to a ` +
      'hosted provider; send text ' +
      '(LangChain: check_embedding_ctx_length=False).',
    { param: path },
  );
};

const masksAnything = ({ categories, terms, patterns }: PlannedCall['privacy']): boolean =>
  categories.length + terms.length + patterns.length > 0;

const circuitOpenError = (name: string): ServiceError =>
  new ServiceError(
    'PROVIDER_UNREACHABLE',
    `The model provider ${name} did not answer for a while and is left alone for 10 s.`,
  );
