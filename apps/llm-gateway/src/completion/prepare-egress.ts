import { hash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { TextPartSchema } from '@witan/contracts';
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
import type { RequestInput } from '../masking/inspect-call.ts';
import type { EgressPii, MaskedBody } from '../masking/mask-body.ts';
import { adaptBody } from '../provider/adapt-body.ts';
import { chooseDialect } from '../provider/provider.ts';
import type { Provider } from '../provider/provider.ts';

export type Egress = {
  bytes: Uint8Array;
  sha256: string;
  pii: EgressPii;
  restorer: MaskedBody['restorer'];
  /**
   * True if the body was encoded from the neutral form; the answer is then returned in that form.
   */
  isNeutral: boolean;
  /**
   * Names of optional fields that were left out, because the provider's dialect or the chosen model
   * does not accept them.
   */
  dropped: readonly string[];
  /** True if the body contains the JSON Schema of one of Witan's own calls. */
  hasSchema: boolean;
  /** Output limit in the sent body, including reasoning tokens; undefined if there is none. */
  outputTokens: number | undefined;
};

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
  { dialect, bytes, text, summary }: Extract<RequestInput, { form: 'wire' }>,
  preamble: string,
  { recipient, target, mask }: Destination,
): Promise<Egress> => {
  const { edits, dropped, outputTokens } = dialect.toEgressEdits(summary, target);
  const source = preamble ? dialect.insertPreamble(text, preamble) : text;
  const editedSource = Object.keys(edits).length > 0 ? editMembers(source, edits) : source;
  const adapted = adaptBody(editedSource, recipient.adaptation);
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
      ? input.dialect.decodeRequest(preserveLongNumbers(input.text, input.body))
      : { conversation: toAcceptedForm(input.conversation, recipient, target), dropped: [] };
  const conversation = preamble
    ? addPreamble(decoded.conversation, preamble)
    : decoded.conversation;
  const nameField = input.form === 'wire' ? input.dialect.nameField : (path: string) => path;
  const { body, dropped, outputTokens } = renamingFields(
    () => ENDPOINTS[recipient.dialect].encodeRequest(conversation, target),
    nameField,
  );
  const adapted = adaptBody(body, recipient.adaptation);
  const removed = adapted.removed.filter((name) => name !== 'stream_options');
  const names = new Set([...decoded.dropped, ...[...dropped, ...removed].map(nameField)]);
  const masked = await mask(adapted.text);
  return toEgress(Buffer.from(masked.text), masked, {
    isNeutral: true,
    hasSchema: input.form === 'neutral' && conversation.responseFormat?.kind === 'json_schema',
    dropped: [...names].toSorted(),
    outputTokens,
  });
};

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
