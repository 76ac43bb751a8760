import { ServiceError } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { RedactAccount } from './redact-account.ts';

export type ProviderRequest = {
  body: Uint8Array;
  /** Dialect of the body: one that the provider speaks; its main dialect if absent. */
  dialect?: DialectName;
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
   * Name in certificates: `openai`, `anthropic`, `local`, `offline`, or a name chosen by a
   * workspace.
   */
  name: string;
  /** Main dialect, to which a call is converted if the provider does not speak the client's. */
  dialect: DialectName;
  /** Further dialects that the provider speaks; calls in them are not converted. */
  otherDialects?: readonly DialectName[];
  /**
   * Sends the call. Rejects with PROVIDER_UNREACHABLE when no byte was sent, with PROVIDER_TIMEOUT
   * or PROVIDER_STREAM_CUT when some may have been, and with the reason of an abort.
   */
  complete: (request: ProviderRequest) => Promise<ProviderAnswer>;
  countTokens?: (request: ProviderRequest) => Promise<ProviderAnswer>;
  /**
   * Removes account identifiers from an error of a provider that is called with the operator's
   * credentials. Errors of a workspace's own provider are not redacted.
   */
  redactError?: RedactAccount;
  listModels: (signal: AbortSignal) => Promise<string[]>;
};

export const dialectsOf = ({
  dialect,
  otherDialects = [],
}: Pick<Provider, 'dialect' | 'otherDialects'>): readonly DialectName[] => [
  dialect,
  ...otherDialects,
];

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
