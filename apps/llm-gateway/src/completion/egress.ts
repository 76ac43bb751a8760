import { hash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { invalidRequest, isServiceError, ServiceError, TextPartSchema } from '@witan/contracts';
import type { Conversation } from '@witan/contracts';
import {
  editMembers,
  ENDPOINTS,
  outlineSchema,
  preserveLongNumbers,
  renamingFields,
  writeSchema,
} from '@witan/dialects';
import type { EgressTarget, EndpointName } from '@witan/dialects';
import { leaveUnmasked } from '../masking/mask-request.ts';
import type { MaskedBody, Privacy, RequestInput } from '../masking/mask-request.ts';
import { adaptBody } from '../provider/adapt-body.ts';
import type { AdaptedBody } from '../provider/adapt-body.ts';
import { chooseDialect, LOCAL_PROVIDER } from '../provider/provider.ts';
import type { Provider } from '../provider/provider.ts';
import type { AttemptPosition, Egress, Intent, PlannedAttempt } from './attempt.ts';
import type { CompletionDeps } from './completion.ts';
import { toUnsentFailure } from './outcome.ts';
import type { FailedAttempt } from './outcome.ts';
import { estimateTokenNeed } from './plan.ts';
import type { CallContext, PlannedCall } from './plan.ts';

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
  // Only own calls have a schema that can also be sent as text.
  const acceptsSchema =
    input.form === 'wire' ||
    (!isSchemaRefused &&
      deps.schemas.isAccepted({ workspaceId: context.workspaceId, provider, model: target.model }));
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
 * Returns the function that masks bodies for a provider in a dialect, and lets other calls run
 * before and after a long one. It changes nothing for the local runtime and for calls that are
 * routed as local.
 */
export const maskFor = (
  call: Pick<PlannedCall, 'route' | 'privacy'>,
  { name: provider, dialect }: { name: string; dialect: EndpointName },
  { workspaceId, signal }: CallContext,
  {
    privacy,
    yieldAfter,
  }: Pick<CompletionDeps, 'yieldAfter'> & { privacy: Pick<Privacy, 'maskBody'> },
): ((text: string) => Promise<MaskedBody>) => {
  if (staysLocal(call, provider)) return leaveUnmasked;
  const settings = call.privacy;
  return async (text) => {
    await yieldAfter(text.length);
    const options = { workspaceId, provider, dialect, settings, signal };
    const masked = await privacy.maskBody(text, options);
    await yieldAfter(masked.text.length);
    return masked;
  };
};

const staysLocal = ({ route }: Pick<PlannedCall, 'route'>, provider: string): boolean =>
  route.isLocal || provider === LOCAL_PROVIDER;

/**
 * Throws INVALID_REQUEST for text that cannot be masked, because it is in the form of tokens, if it
 * would leave the machine and the workspace has not disabled masking.
 */
const checkReadable = ({ input, privacy, route }: PlannedCall, provider: string): void => {
  const path = input.form === 'wire' ? input.dialect.findUnreadable?.(input.body.value) : undefined;
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

/** The part of a provider that decides the form of a body, in one of its dialects. */
export type Recipient = { dialect: EndpointName } & Pick<Provider, 'adaptation'> & {
    /** False if the provider gets the JSON Schema of an own call as text; true by default. */
    acceptsSchema?: boolean;
  };

/** Returns a provider as the recipient of a call, in the client's dialect if it speaks that. */
export const toRecipient = (
  input: RequestInput,
  provider: Provider,
): Recipient & Pick<Provider, 'name'> => {
  const client = input.form === 'wire' ? input.dialect.name : undefined;
  return { ...provider, dialect: chooseDialect(provider, client) };
};

/**
 * Builds the body for a provider in one of its dialects. In the client's own dialect the client's
 * bytes are edited in place (for example its model, output limits and stream options), so that
 * unknown fields and number spellings are preserved. For another dialect the body is encoded from
 * the neutral form. The final body is masked. Throws INVALID_REQUEST for a request that the dialect
 * cannot express, and the errors of `mask`.
 */
export const prepareEgress = async (
  { input, systemPreamble: preamble }: { input: RequestInput; systemPreamble: string },
  recipient: Recipient,
  target: EgressTarget,
  mask: (text: string) => Promise<MaskedBody>,
): Promise<Egress> =>
  input.form === 'wire' && input.dialect.name === recipient.dialect
    ? edit(input, preamble, { recipient, target, mask })
    : translate(input, preamble, { recipient, target, mask });

type Destination = {
  recipient: Recipient;
  target: EgressTarget;
  mask: (text: string) => Promise<MaskedBody>;
};

const edit = async (
  { dialect, body: { bytes, text }, summary }: Extract<RequestInput, { form: 'wire' }>,
  preamble: string,
  { recipient, target, mask }: Destination,
): Promise<Egress> => {
  const { edits, dropped, outputTokens } = dialect.toEgressEdits(summary, target);
  const source = preamble ? dialect.insertPreamble(text, preamble) : text;
  const editedSource = Object.keys(edits).length > 0 ? editMembers(source, edits) : source;
  const adapted = adapt(editedSource, recipient);
  const masked = await mask(adapted.text);
  const egressBytes = masked.text === text ? bytes : Buffer.from(masked.text);
  // The gateway itself requests the usage of a stream, if the client does not.
  const isOwn = (name: string): boolean => name === 'stream_options' && !summary.wantsUsage;
  const removed = adapted.removed.filter((name) => !isOwn(name));
  const form = {
    isNeutral: false,
    hasSchema: false,
    dropped: [...dropped, ...removed],
    outputTokens,
  };
  return toEgress(egressBytes, masked, form);
};

const translate = async (
  input: RequestInput,
  preamble: string,
  { recipient, target, mask }: Destination,
): Promise<Egress> => {
  const decoded =
    input.form === 'wire'
      ? input.dialect.decodeRequest(preserveLongNumbers(input.body.text, input.body.value))
      : { conversation: toAcceptedForm(input.conversation, recipient, target), dropped: [] };
  const conversation = preamble
    ? addPreamble(decoded.conversation, preamble)
    : decoded.conversation;
  const nameField = input.form === 'wire' ? input.dialect.nameField : (path: string) => path;
  const { body, dropped, outputTokens } = renamingFields(
    () => ENDPOINTS[recipient.dialect].encodeRequest(conversation, target),
    nameField,
  );
  const adapted = adapt(body, recipient);
  const removed = adapted.removed.filter((name) => name !== 'stream_options');
  const names = new Set([...decoded.dropped, ...[...dropped, ...removed].map(nameField)]);
  const masked = await mask(adapted.text);
  const bytes = Buffer.from(masked.text);
  return toEgress(bytes, masked, {
    isNeutral: true,
    hasSchema: input.form === 'neutral' && conversation.responseFormat?.kind === 'json_schema',
    dropped: [...names].toSorted(),
    outputTokens,
  });
};

const adapt = (text: string, { adaptation }: Recipient): AdaptedBody =>
  adaptation ? adaptBody(text, adaptation) : { text, removed: [] };

/**
 * Returns an own call as its provider can use it: with the JSON Schema as text, or else as a part
 * of the request and, unless providers of the dialect show it to their models, as an outline.
 */
const toAcceptedForm = (
  conversation: Conversation,
  { dialect, acceptsSchema = true }: Recipient,
  { model }: EgressTarget,
): Conversation => {
  if (!acceptsSchema) return writeSchema(conversation);
  return dialect === 'messages' ? conversation : outlineSchema(conversation, model);
};

const addPreamble = (conversation: Conversation, text: string): Conversation => ({
  ...conversation,
  system: [...conversation.system, create(TextPartSchema, { text })],
});

const toEgress = (
  bytes: Uint8Array,
  { pii, restorer }: MaskedBody,
  form: Pick<Egress, 'isNeutral' | 'hasSchema' | 'dropped' | 'outputTokens'>,
): Egress => ({ bytes, sha256: hash('sha256', bytes, 'hex'), pii, restorer, ...form });
