import { ServiceError } from '@witan/contracts';
import type { JsonObject } from '@witan/dialects';
import type { NeededModule } from '../auth/scope.ts';

/** A response that the gateway stores, because the provider that gave it does not. */
export type StoredResponse = {
  /** `resp_...`, unique in its workspace. */
  id: string;
  /** Id of the stored response that this one continues; empty if there is none. */
  previousId: string;
  /**
   * Id of its certificate. While it is in the background, the one that was announced: a fallback
   * has another one.
   */
  proofId: string;
  /** Items of its own request, without those of earlier responses. */
  input: readonly JsonObject[];
  /** The response object as the client received it. */
  response: JsonObject;
  /**
   * True if it, or one that it continues, was made by the local runtime. Then calls that contain
   * it are processed there too, or refused.
   */
  isLocal: boolean;
  /**
   * The modules whose scopes the addresses of it and of those that it continues needed. A
   * caller that reads, continues or deletes it needs them, too.
   */
  modules: readonly NeededModule[];
};

/** How a response in the background ended. */
export type EndedResponse = Omit<StoredResponse, 'previousId' | 'input'>;

/** Reserves memory for stored bytes before they are read; throws if too little is free. */
export type Reserve = (bytes: number) => void;

/** A stored response without what it was asked, which is read apart. */
export type FoundResponse = Omit<StoredResponse, 'input'>;

export type ResponseStore = {
  /** Throws RATE_LIMITED if the workspace's stored responses would exceed their limit. */
  save: (workspaceId: string, response: StoredResponse) => Promise<void>;
  /**
   * Stores the end of a response in place of the queued one, without its input if it failed; does
   * nothing if there is none.
   */
  replace: (workspaceId: string, response: EndedResponse) => Promise<void>;
  find: (workspaceId: string, id: string, reserve?: Reserve) => Promise<FoundResponse | undefined>;
  /** Returns the input of a response; undefined if there is no such response. */
  findInput: (
    workspaceId: string,
    id: string,
    reserve?: Reserve,
  ) => Promise<readonly JsonObject[] | undefined>;
  /**
   * Returns the response and those that it continues, oldest first; undefined if one of them is not
   * stored any more. Throws REQUEST_TOO_LARGE if they are too many or too large.
   */
  findChain: (
    workspaceId: string,
    id: string,
    reserve?: Reserve,
  ) => Promise<StoredResponse[] | undefined>;
  /** Resolves with false if there is no such response. */
  remove: (workspaceId: string, id: string) => Promise<boolean>;
};

/** Maximum size of a request with the items of the responses that it continues. */
export const EXPANDED_BYTES_MAX = 32 * 1024 * 1024;

export const conversationTooLarge = (): ServiceError =>
  new ServiceError(
    'REQUEST_TOO_LARGE',
    'The conversation that the request continues is too large; begin a new one.',
    { fields: { param: 'previous_response_id' } },
  );

const RESPONSE_ID = /^resp_[0-9A-Za-z]{22}(?:f\d)?$/;
const ITEM_ID = /^(?:msg|fc|rs)_([0-9A-Za-z]{22}(?:f\d)?)_\d+$/;

/** Returns whether an id has the form of the gateway's own; a provider's ids are longer. */
export const isOwnResponseId = (id: unknown): id is string =>
  typeof id === 'string' && RESPONSE_ID.test(id);

/** Returns the id of the response that an output item belongs to; undefined for other ids. */
export const findResponseIdOfItem = (itemId: unknown): string | undefined => {
  const [, id] = (typeof itemId === 'string' && ITEM_ID.exec(itemId)) || [];
  return id && `resp_${id}`;
};

/** Returns the items of a request's `input`; a text is one message of the user. */
export const toInputItems = (input: unknown): JsonObject[] => {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return Array.isArray(input) ? (input as JsonObject[]) : [];
};

/** Returns whether a response in the background has not ended. */
export const isUnfinished = ({ status }: JsonObject): boolean =>
  status === 'queued' || status === 'in_progress';

export const outputOf = ({ response }: Pick<StoredResponse, 'response'>): JsonObject[] =>
  Array.isArray(response.output) ? (response.output as JsonObject[]) : [];
