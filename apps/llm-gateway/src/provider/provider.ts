import { ServiceError } from '@witan/contracts';
import type { EndpointName } from '@witan/dialects';
import type { BodyAdaptation } from './adapt-body.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { RedactAccount } from './redact-account.ts';

export type ProviderRequest = {
  /** One of the provider's dialects. */
  dialect: EndpointName;
  body: Uint8Array;
  /** Headers of the client's request that belong to its dialect, with lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** Query of the URL that the client called, without the question mark. */
  query: string;
  signal: AbortSignal;
};

export type ProviderAnswer = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: AsyncIterable<Uint8Array>;
};

export type Provider = {
  /**
   * Name in certificates: `openai`, `anthropic`, `local`, `offline`, or a name chosen by the
   * operator or a workspace.
   */
  name: string;
  /**
   * At least one. A client of another dialect is served in the first that is not `embeddings`;
   * embeddings are served only by providers that have them in this list.
   */
  dialects: readonly EndpointName[];
  /** Absent if requests need no changes. */
  adaptation?: BodyAdaptation;
  /**
   * Sends the call. Rejects with PROVIDER_UNREACHABLE when no byte was sent, with PROVIDER_TIMEOUT
   * or PROVIDER_STREAM_CUT when some may have been, and with the reason of an abort.
   */
  complete: (request: ProviderRequest) => Promise<ProviderAnswer>;
  /**
   * Removes account identifiers from an error of a provider that is called with the operator's
   * credentials. Errors of a workspace's own provider are not redacted.
   */
  redactError?: RedactAccount;
  listModels: (signal: AbortSignal) => Promise<string[]>;
};

/** Returns the dialect in which a provider gets a call: the client's own, if it speaks that. */
export const chooseDialect = (
  { dialects }: Pick<Provider, 'dialects'>,
  client: EndpointName | undefined,
): EndpointName =>
  dialects.find((dialect) => dialect === client) ??
  dialects.find((dialect) => dialect !== 'embeddings') ??
  'embeddings';

export type ProviderAccess = { provider: Provider; breaker: CircuitBreaker };

export type Target = {
  provider: string;
  model: string;
  /** Relative share of the conversations that start at this target; 0 in a list without weights. */
  weight: number;
};

/** The operator's own runtime; requests to it count as local. */
export const LOCAL_PROVIDER = 'local';

export const OFFLINE_PROVIDER = 'offline';

export const toTarget = (provider: string, model: string): Target => ({
  provider,
  model,
  weight: 0,
});

/** Reads a response body. Throws PROVIDER_INVALID_ANSWER if it exceeds `maxBytes`. */
export const readBody = async (
  answer: Pick<ProviderAnswer, 'body'>,
  maxBytes: number,
): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw answerTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

export const answerTooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', `The provider sent more than ${maxBytes} bytes.`);
