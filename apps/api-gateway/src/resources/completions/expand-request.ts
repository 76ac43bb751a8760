import { conflict, invalidRequest, ServiceError } from '@witan/contracts';
import { editMembers } from '@witan/dialects';
import type { JsonObject } from '@witan/dialects';
import { yieldAfter } from '@witan/service-kit';
import type { Principal } from '../../auth/authenticate.ts';
import { modulesOfAddress, parseModelAddress, verifyModules } from '../../auth/scope.ts';
import { fromCompaction } from '../../stored-response/compaction.ts';
import {
  conversationTooLarge,
  EXPANDED_BYTES_MAX,
  findResponseIdOfItem,
  isOwnResponseId,
  isUnfinished,
  outputOf,
  toInputItems,
} from '../../stored-response/stored-response.ts';
import type {
  FoundResponse,
  Reserve,
  ResponseStore,
  StoredResponse,
} from '../../stored-response/stored-response.ts';

export type ExpandedRequest = {
  body: JsonObject;
  source: Uint8Array;
  /**
   * What a stored response of this request continues, its own items, whether the request contains
   * what was made by the local runtime, and the modules whose scopes its parts needed.
   */
  origin: Pick<StoredResponse, 'previousId' | 'input' | 'isLocal' | 'modules'>;
};

/** Number of responses whose items a request may refer to. */
const REFERENCED_RESPONSES_MAX = 100;

type Finder = Pick<ResponseStore, 'find' | 'findChain'>;

type Expandable = {
  body: JsonObject;
  source: Uint8Array;
  /** Reserves memory for the stored responses that are read. */
  memory?: { grow: Reserve };
};

/**
 * Replaces the references to stored responses in a request by their items: those of
 * `previous_response_id` precede the request's own, and an `item_reference` becomes its item. A
 * compaction item of the gateway becomes its summary. References of another form are a provider's,
 * and stay. Without references the bytes are unchanged. Throws, with the field, NOT_FOUND for what
 * is not stored in the workspace, CONFLICT for a response that has not ended, INVALID_REQUEST for
 * one that failed and for references to more than 100 responses, REQUEST_TOO_LARGE for a
 * conversation that is too large, and INSUFFICIENT_SCOPE for one whose addresses the caller may not
 * use.
 */
export const expandRequest = async (
  { body, source, memory }: Expandable,
  { workspaceId, scopes }: Pick<Principal, 'workspaceId' | 'scopes'>,
  finder: Finder,
): Promise<ExpandedRequest> => {
  const store: Finder = {
    find: (workspace, id) => finder.find(workspace, id, memory?.grow),
    findChain: (workspace, id) => finder.findChain(workspace, id, memory?.grow),
  };
  const ownItems = toInputItems(body.input);
  const { input, referenced } = await resolveItems(ownItems, workspaceId, store);
  const { previous_response_id: previousId } = body;
  const isContinued = isOwnResponseId(previousId);
  const hasReferences = input.some((item, index) => item !== ownItems[index]);
  const chain = isContinued ? await findEarlier(previousId, workspaceId, store) : [];
  const contained = [...chain, ...referenced];
  const modules = new Set(contained.flatMap((stored) => stored.modules));
  verifyModules([...modules], scopes);
  const isLocal = contained.some((stored) => stored.isLocal);
  for (const module of modulesOfAddress(parseModelAddress(String(body.model)))) modules.add(module);
  const origin = {
    previousId: isContinued ? previousId : '',
    input,
    isLocal,
    modules: [...modules],
  };
  if (!isContinued && !hasReferences) return { body, source, origin };
  const items = [...chain.flatMap((stored) => [...stored.input, ...outputOf(stored)]), ...input];
  const edits = {
    input: await encodeItems(items),
    ...(isContinued && { previous_response_id: null }),
  };
  const text = editMembers(Buffer.from(source).toString(), edits);
  await yieldAfter(text.length);
  const expanded = Buffer.from(text);
  await yieldAfter(expanded.length);
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
  if (chain.some(({ response }) => response.status === 'failed')) {
    throw invalidRequest('previous_response_id: the response failed; continue an earlier one.', {
      param: 'previous_response_id',
      code: 'previous_response_failed',
    });
  }
  return chain;
};

/**
 * Encodes items one by one, so that no text is built that is larger than a request may be; other
 * calls run after each large one.
 */
const encodeItems = async (items: readonly JsonObject[]): Promise<string> => {
  const texts: string[] = [];
  let length = 0;
  for (const item of items) {
    const text = JSON.stringify(item);
    length += text.length;
    if (length > EXPANDED_BYTES_MAX) throw conversationTooLarge();
    texts.push(text);
    await yieldAfter(text.length);
  }
  return `[${texts.join()}]`;
};

type Referenced = Pick<StoredResponse, 'isLocal' | 'modules'> & { output: readonly JsonObject[] };

const resolveItems = async (
  items: readonly JsonObject[],
  workspaceId: string,
  { find }: Finder,
): Promise<{ input: JsonObject[]; referenced: Referenced[] }> => {
  const found = new Map<string, Referenced | undefined>();
  const readResponse = createReader(items, (id) => find(workspaceId, id));
  const resolved: JsonObject[] = [];
  for (const [index, item] of items.entries()) {
    const id = findReferencedId(item);
    if (id === undefined) {
      resolved.push(fromCompaction(item) ?? item);
      continue;
    }
    const param = `input[${index}].id`;
    if (!found.has(id)) {
      if (found.size === REFERENCED_RESPONSES_MAX) throw tooManyResponses(param);
      found.set(id, await readResponse(id));
    }
    const output = found.get(id)?.output.find((stored) => stored.id === item.id);
    if (!output) throw notStored(param, 'item_not_found', String(item.id));
    resolved.push(output);
  }
  const referenced = [...found.values()].filter((stored) => stored !== undefined);
  return { input: resolved, referenced };
};

const findReferencedId = ({ type, id }: JsonObject): string | undefined =>
  type === 'item_reference' ? findResponseIdOfItem(id) : undefined;

/**
 * Returns a function that reads the items of a response that `items` refer to; it throws
 * REQUEST_TOO_LARGE when all that it returned are larger than a request may be.
 */
const createReader = (
  items: readonly JsonObject[],
  find: (id: string) => Promise<FoundResponse | undefined>,
) => {
  const itemIds = new Set(items.filter(findReferencedId).map(({ id }) => id));
  let length = 0;
  return async (id: string): Promise<Referenced | undefined> => {
    const stored = await find(id);
    if (!stored) return undefined;
    const output = outputOf(stored).filter((item) => itemIds.has(item.id));
    length += (await encodeItems(output)).length;
    if (length > EXPANDED_BYTES_MAX) throw conversationTooLarge();
    return { output, isLocal: stored.isLocal, modules: stored.modules };
  };
};

const tooManyResponses = (param: string): ServiceError =>
  invalidRequest(
    `${param}: a request may refer to items of ${REFERENCED_RESPONSES_MAX} responses.`,
    { param },
  );

const notStored = (param: string, code: string, id: string): ServiceError =>
  new ServiceError('NOT_FOUND', `${param}: "${id}" is not stored, or not any more.`, {
    fields: { param, code },
  });
