import { ServiceError } from '@witan/contracts';
import type { EndpointName } from '@witan/dialects';
import type { BodyAdaptation } from './adapt-body.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { RedactAccount } from './redact-account.ts';

/**
 * Ends a call early: when its client leaves, or at its deadline. There is one for each call; the
 * code of the current step sets `onStop`.
 */
export type Stop = {
  /** Why the call was ended; undefined while it runs. */
  reason: unknown;
  onStop: ((reason: unknown) => void) | undefined;
};

export type ProviderRequest = {
  /** One of the provider's dialects. */
  dialect: EndpointName;
  body: Uint8Array;
  /** Headers of the client's request that belong to its dialect, with lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** Query of the URL that the client called, without the question mark. */
  query: string;
  stop: Stop;
};

/** Takes the bytes of a response as they arrive; `end` or `fail` is the last call. */
export type BodyReader = {
  bytes: (chunk: Uint8Array) => void;
  end: () => void;
  fail: (error: unknown) => void;
};

/** The body of a response. It is read once; bytes that arrive before that are stored. */
export type AnswerBody = {
  read: (reader: BodyReader) => void;
  pause: () => void;
  resume: () => void;
  /** Reads no more; the rest is drained for a second, so that the connection can be reused. */
  discard: () => void;
  /** Closes the connection, and fails the reader with the reason. */
  abort: (reason: unknown) => void;
};

export type ProviderAnswer = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: AnswerBody;
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

/** Reads a response body. Rejects with PROVIDER_INVALID_ANSWER if it exceeds `maxBytes`. */
export const readBody = (body: AnswerBody, maxBytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    body.read({
      bytes: (chunk) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= maxBytes) return;
        body.discard();
        reject(answerTooLarge(maxBytes));
      },
      end: () => resolve(chunks.length === 1 ? asBuffer(chunks[0]!) : Buffer.concat(chunks, size)),
      fail: reject,
    });
  });

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);

/** Maximum size of an answer in bytes. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

export const answerTooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', `The provider sent more than ${maxBytes} bytes.`);

/** Returns bytes that are in memory, or made on demand, as a body. */
export const bodyOf = (chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AnswerBody => {
  let reader: BodyReader | undefined;
  let resumed = Promise.withResolvers<void>();
  let isPaused = false;
  const close = (): BodyReader | undefined => {
    const last = reader;
    reader = undefined;
    resumed.resolve();
    return last;
  };
  const deliver = async (): Promise<void> => {
    try {
      for await (const chunk of chunks) {
        if (isPaused) await resumed.promise;
        if (!reader) return;
        reader.bytes(chunk);
      }
      if (isPaused) await resumed.promise;
      close()?.end();
    } catch (error) {
      close()?.fail(error);
    }
  };
  return {
    read: (next) => {
      reader = next;
      void deliver();
    },
    pause: () => {
      isPaused = true;
      resumed = Promise.withResolvers();
    },
    resume: () => {
      isPaused = false;
      resumed.resolve();
    },
    discard: () => void close(),
    abort: (reason) => close()?.fail(reason),
  };
};
