import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { MaskedValueSchema, PreviewRequest, PreviewResponseSchema } from '@witan/contracts';
import type { PlaceholderTable } from '@witan/privacy';
import type { CompletionDeps } from '../completion.ts';
import { readWireBody, routeCall } from '../plan.ts';
import type { CallContext } from '../plan.ts';
import { maskFor, prepareEgress, toRecipient } from '../egress.ts';

export type PreviewDeps = Pick<
  CompletionDeps,
  'choicesFor' | 'privacy' | 'maxOutputTokens' | 'isMetered' | 'yieldAfter'
>;

/**
 * Returns the body that a completion of this request would send to its first target, and the values
 * that are masked in it. Sends, reserves and certifies nothing. Throws INVALID_REQUEST for a
 * request that the target's dialect cannot express, and the errors of routing and masking.
 */
export const previewCall = async (
  { address, wire, systemPreamble }: PreviewRequest,
  caller: CallContext,
  deps: PreviewDeps,
): Promise<MessageInitShape<typeof PreviewResponseSchema>> => {
  if (!address || !wire) throw invalidRequest('A preview needs an address and a body.');
  const input = readWireBody(wire);
  const signals = input.dialect.readSignals(input.body.value);
  const { workspaceId, signal } = caller;
  const routed = await routeCall({ address, input, signals, workspaceId, signal }, deps);
  const { reason, taskType, targets } = routed.route;
  const { provider: providerName, model } = targets[0]!;
  const { provider } = routed.accessTo(providerName);
  const recipient = toRecipient(input, provider);
  const mask = maskFor(routed, recipient, caller, deps);
  let table: PlaceholderTable | undefined;
  const target = { model, maxOutputTokens: deps.maxOutputTokens, isLimited: deps.isMetered };
  const egress = await prepareEgress({ input, systemPreamble }, recipient, target, async (text) => {
    const masked = await mask(text);
    table = masked.table;
    return masked;
  });
  return {
    provider: providerName,
    model,
    body: egress.bytes,
    sha256: egress.sha256,
    maskedCount: egress.pii.masked,
    categories: egress.pii.categories,
    masked: listValues(table),
    routingReason: reason,
    taskType,
    droppedParams: [...egress.dropped],
  };
};

const listValues = (
  table: PlaceholderTable | undefined,
): MessageInitShape<typeof MaskedValueSchema>[] =>
  [...(table?.names() ?? [])].map((name) => ({
    placeholder: name,
    category: categoryOf(name),
    value: table!.find(name)!.value,
  }));

/** Removes the six characters of the hash, and the number of a further spelling. */
const categoryOf = (name: string): string => name.replace(/_[A-Z2-7]{6}(?:_\d+)?$/, '');
