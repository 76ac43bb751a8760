import { conflict, ServiceError } from '@witan/contracts';
import { editMembers } from '@witan/dialects';
import type { JsonObject } from '@witan/dialects';
import { fromCompaction } from './compaction.ts';
import {
  conversationTooLarge,
  EXPANDED_BYTES_MAX,
  findResponseIdOfItem,
  isOwnResponseId,
  isUnfinished,
  outputOf,
  toInputItems,
} from './stored-response.ts';
import type { ResponseStore, StoredResponse } from './stored-response.ts';

export type ExpandedRequest = {
  body: JsonObject;
  source: Uint8Array;
  /**
   * What a stored response of this request continues, its own items, and whether the request
   * contains what was made by the local runtime.
   */
  origin: Pick<StoredResponse, 'previousId' | 'input' | 'isLocal'>;
};

type Finder = Pick<ResponseStore, 'find' | 'findChain'>;

/**
 * Replaces the references to stored responses in a request by their items: those of
 * `previous_response_id` precede the request's own, and an `item_reference` becomes its item. A
 * compaction item of the gateway becomes its summary. References of another form are a provider's,
 * and stay. Without references the bytes are unchanged. Throws, with the field, NOT_FOUND for what
 * is not stored in the workspace, CONFLICT for a response that has not ended, and REQUEST_TOO_LARGE
 * for a conversation that is too large.
 */
export const expandRequest = async (
  { body, source }: { body: JsonObject; source: Uint8Array },
  workspaceId: string,
  store: Finder,
): Promise<ExpandedRequest> => {
  const ownItems = toInputItems(body.input);
  const { input, hasLocal } = await resolveItems(ownItems, workspaceId, store);
  const { previous_response_id: previousId } = body;
  const isContinued = isOwnResponseId(previousId);
  const hasReferences = input.some((item, index) => item !== ownItems[index]);
  const chain = isContinued ? await findEarlier(previousId, workspaceId, store) : [];
  const isLocal = hasLocal || chain.some((stored) => stored.isLocal);
  const origin = { previousId: isContinued ? previousId : '', input, isLocal };
  if (!isContinued && !hasReferences) return { body, source, origin };
  const items = [...chain.flatMap((stored) => [...stored.input, ...outputOf(stored)]), ...input];
  const edits = {
    input: JSON.stringify(items),
    ...(isContinued && { previous_response_id: null }),
  };
  const expanded = Buffer.from(editMembers(Buffer.from(source).toString(), edits));
  if (expanded.length > EXPANDED_BYTES_MAX) throw conversationTooLarge();
  const { previous_response_id: _, ...others } = body;
  return {
    body: { ...(isContinued ? others : body), input: items },
    source: expanded,
    origin,
  };
};

const findEarlier = async (
  id: string,
  workspaceId: string,
  { findChain }: Finder,
): Promise<StoredResponse[]> => {
  const chain = await findChain(workspaceId, id);
  if (!chain) throw notStored('previous_response_id', 'previous_response_not_found', id);
  if (chain.some(({ response }) => isUnfinished(response))) {
    throw conflict('previous_response_id: the response has not ended; read it until it has.', {
      param: 'previous_response_id',
      code: 'response_in_progress',
    });
  }
  return chain;
};

const resolveItems = async (
  items: readonly JsonObject[],
  workspaceId: string,
  { find }: Finder,
): Promise<{ input: JsonObject[]; hasLocal: boolean }> => {
  const found = new Map<string, StoredResponse | undefined>();
  const resolved: JsonObject[] = [];
  for (const [index, item] of items.entries()) {
    const id = item.type === 'item_reference' ? findResponseIdOfItem(item.id) : undefined;
    if (id === undefined) {
      resolved.push(fromCompaction(item) ?? item);
      continue;
    }
    if (!found.has(id)) found.set(id, await find(workspaceId, id));
    const stored = found.get(id);
    const referenced = stored && outputOf(stored).find((output) => output.id === item.id);
    if (!referenced) throw notStored(`input[${index}].id`, 'item_not_found', String(item.id));
    resolved.push(referenced);
  }
  const hasLocal = [...found.values()].some((stored) => stored?.isLocal);
  return { input: resolved, hasLocal };
};

const notStored = (param: string, code: string, id: string): ServiceError =>
  new ServiceError('NOT_FOUND', `${param}: "${id}" is not stored, or not any more.`, {
    fields: { param, code },
  });
