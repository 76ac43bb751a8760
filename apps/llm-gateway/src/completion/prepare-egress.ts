import { hash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { TextPartSchema } from '@witan/contracts';
import type { Conversation } from '@witan/contracts';
import { DIALECTS, editMembers, preserveLongNumbers, renamingFields } from '@witan/dialects';
import type { DialectName, EgressTarget } from '@witan/dialects';
import type { RequestInput } from '../masking/inspect-call.ts';
import type { EgressPii, MaskedBody } from '../masking/mask-body.ts';
import { dialectsOf } from '../provider/provider.ts';
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
  /** Output limit in the sent body, including reasoning tokens; undefined if there is none. */
  outputTokens: number | undefined;
};

/**
 * Returns the dialect in which a call is sent: the client's if the provider speaks it, otherwise
 * the provider's main dialect.
 */
export const chooseDialect = (
  input: RequestInput,
  provider: Pick<Provider, 'dialect' | 'otherDialects'>,
): DialectName =>
  input.form === 'wire' && dialectsOf(provider).includes(input.dialect.name)
    ? input.dialect.name
    : provider.dialect;

/**
 * Builds the body for a provider in one of its dialects. In the client's own dialect the client's
 * bytes are edited in place (for example its model, output limits and stream options), so that
 * unknown fields and number spellings are preserved. For another dialect the body is encoded from
 * the neutral form. The final body is masked. Throws INVALID_REQUEST for a request that the dialect
 * cannot express, and the errors of `mask`.
 */
export const prepareEgress = async (
  { input, systemPreamble: preamble }: { input: RequestInput; systemPreamble: string },
  dialect: DialectName,
  target: EgressTarget,
  mask: (text: string) => Promise<MaskedBody>,
): Promise<Egress> =>
  input.form === 'wire' && input.dialect.name === dialect
    ? edit(input, preamble, target, mask)
    : translate(input, preamble, { dialect, target, mask });

const edit = async (
  { dialect, bytes, text, summary }: Extract<RequestInput, { form: 'wire' }>,
  preamble: string,
  target: EgressTarget,
  mask: (text: string) => Promise<MaskedBody>,
): Promise<Egress> => {
  const { edits, dropped, outputTokens } = dialect.toEgressEdits(summary, target);
  const source = preamble ? dialect.insertPreamble(text, preamble) : text;
  const editedSource = Object.keys(edits).length > 0 ? editMembers(source, edits) : source;
  const masked = await mask(editedSource);
  const egressBytes = masked.text === text ? bytes : Buffer.from(masked.text);
  return toEgress(egressBytes, masked, { isNeutral: false, dropped, outputTokens });
};

const translate = async (
  input: RequestInput,
  preamble: string,
  target: {
    dialect: DialectName;
    target: EgressTarget;
    mask: (text: string) => Promise<MaskedBody>;
  },
): Promise<Egress> => {
  const decoded =
    input.form === 'wire'
      ? input.dialect.decodeRequest(preserveLongNumbers(input.text, input.body))
      : { conversation: input.conversation, dropped: [] };
  const conversation = preamble
    ? addPreamble(decoded.conversation, preamble)
    : decoded.conversation;
  const nameField = input.form === 'wire' ? input.dialect.nameField : (path: string) => path;
  const { body, dropped, outputTokens } = renamingFields(
    () => DIALECTS[target.dialect].encodeRequest(conversation, target.target),
    nameField,
  );
  const names = new Set([...decoded.dropped, ...dropped.map(nameField)]);
  const masked = await target.mask(body);
  return toEgress(Buffer.from(masked.text), masked, {
    isNeutral: true,
    dropped: [...names].toSorted(),
    outputTokens,
  });
};

const addPreamble = (conversation: Conversation, text: string): Conversation => ({
  ...conversation,
  system: [...conversation.system, create(TextPartSchema, { text })],
});

const toEgress = (
  bytes: Uint8Array,
  { pii, restorer }: MaskedBody,
  form: Pick<Egress, 'isNeutral' | 'dropped' | 'outputTokens'>,
): Egress => ({ bytes, sha256: hash('sha256', bytes, 'hex'), pii, restorer, ...form });
