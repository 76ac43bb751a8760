import { hash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { TextPartSchema } from '@witan/contracts';
import type { Conversation } from '@witan/contracts';
import { DIALECTS, editMembers, preserveLongNumbers } from '@witan/dialects';
import type { EgressTarget } from '@witan/dialects';
import type { RequestInput } from '../masking/inspect-call.ts';
import type { EgressPii, MaskedBody } from '../masking/mask-body.ts';
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
 * Builds the body for a provider. In the client's own dialect the client's bytes are edited in
 * place (for example its model, output limits and stream options), so that unknown fields and
 * number spellings are preserved. For another dialect the body is encoded from the neutral form.
 * The final body is masked. Throws INVALID_REQUEST for a request that the dialect cannot express,
 * and the errors of `mask`.
 */
export const prepareEgress = async (
  { input, systemPreamble: preamble }: { input: RequestInput; systemPreamble: string },
  provider: Pick<Provider, 'dialect'>,
  target: EgressTarget,
  mask: (text: string) => Promise<MaskedBody>,
): Promise<Egress> =>
  input.form === 'wire' && input.dialect.name === provider.dialect
    ? edit(input, preamble, target, mask)
    : translate(input, preamble, { provider, target, mask });

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
    provider: Pick<Provider, 'dialect'>;
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
  const encoded = DIALECTS[target.provider.dialect].encodeRequest(conversation, target.target);
  const { body, dropped, outputTokens } = encoded;
  const names = new Set([...decoded.dropped, ...dropped]);
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
