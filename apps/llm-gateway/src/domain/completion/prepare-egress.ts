import { create } from '@bufbuild/protobuf';
import { hash } from 'node:crypto';
import { TextPartSchema } from '@witan/contracts';
import type { Conversation } from '@witan/contracts';
import { DIALECTS, editMembers, keepLongNumbers } from '@witan/dialects';
import type { EgressTarget } from '@witan/dialects';
import type { Asked } from './plan-call.ts';
import type { Provider } from './ports.ts';

/** The exact bytes for the provider and their hash. */
export type Egress = {
  bytes: Uint8Array;
  sha256: string;
  /** True when the call changed its dialect: the answer comes back in the neutral form. */
  isNeutral: boolean;
  /** Fields that only tune the answer and that the provider's dialect cannot say. */
  dropped: readonly string[];
};

/**
 * What leaves for a provider. In the client's own dialect that is the client's bytes, with the
 * model that runs, output limits clamped and whatever relaying needs edited in place, so that
 * unknown fields and number spellings survive (gateway.md rule 1). For another dialect the body is
 * written anew from its neutral form (rule 2). Throws INVALID_REQUEST for what cannot be said
 * there.
 */
export const prepareEgress = (
  { asked, request }: { asked: Asked; request: { systemPreamble: string } },
  provider: Pick<Provider, 'dialect'>,
  target: EgressTarget,
): Egress => {
  const preamble = request.systemPreamble;
  return asked.form === 'wire' && asked.dialect.name === provider.dialect
    ? edit(asked, preamble, target)
    : translate(asked, preamble, provider, target);
};

const edit = (
  { dialect, bytes, text, facts }: Extract<Asked, { form: 'wire' }>,
  preamble: string,
  target: EgressTarget,
): Egress => {
  const edits = dialect.toEgressEdits(facts, target);
  const source = preamble ? dialect.insertPreamble(text, preamble) : text;
  const isEdited = source !== text || Object.keys(edits).length > 0;
  return seal(isEdited ? Buffer.from(editMembers(source, edits)) : bytes, false, []);
};

const translate = (
  asked: Asked,
  preamble: string,
  provider: Pick<Provider, 'dialect'>,
  target: EgressTarget,
): Egress => {
  const decoded =
    asked.form === 'wire'
      ? asked.dialect.decodeRequest(keepLongNumbers(asked.text, asked.body))
      : { conversation: asked.conversation, dropped: [] };
  const conversation = preamble
    ? addPreamble(decoded.conversation, preamble)
    : decoded.conversation;
  const { body, dropped } = DIALECTS[provider.dialect].encodeRequest(conversation, target);
  const names = new Set([...decoded.dropped, ...dropped]);
  return seal(Buffer.from(body), true, [...names].toSorted());
};

const addPreamble = (conversation: Conversation, text: string): Conversation => ({
  ...conversation,
  system: [...conversation.system, create(TextPartSchema, { text })],
});

const seal = (bytes: Uint8Array, isNeutral: boolean, dropped: readonly string[]): Egress => ({
  bytes,
  sha256: hash('sha256', bytes, 'hex'),
  isNeutral,
  dropped,
});
