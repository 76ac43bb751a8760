import { expect } from '@jest/globals';
import type { DescService } from '@bufbuild/protobuf';
import { ServiceError } from '@witan/contracts';
import type { CallOptions, Client } from '@witan/service-kit';

export type RecordedCall<Request = object> = {
  rpc: string;
  request: Request;
  options: CallOptions;
};

export const createFakeStream = <Service extends DescService, Request = object>(
  events: readonly object[],
  fails?: Error | Promise<never>,
) => {
  const seen: RecordedCall<Request>[] = [];
  const response = (_target: object, rpc: string) =>
    async function* emit(request: Request, options: CallOptions) {
      seen.push({ rpc, request, options });
      yield* events;
      if (fails) throw await fails;
    };
  return { client: new Proxy({}, { get: response }) as Client<Service>, seen };
};

export const errorOf = async (response: Response): Promise<Record<string, unknown>> =>
  ((await response.json()) as { error: Record<string, unknown> }).error;

export const MID_STREAM_FAILURES: [string, Error, Record<string, string>][] = [
  [
    'a failure with a reason',
    new ServiceError('PROVIDER_STREAM_CUT', 'The provider broke off.'),
    { code: 'provider_error', message: 'The provider broke off.' },
  ],
  ['a bug', new Error('SELECT secret'), { code: 'internal_error' }],
];

type Streaming = {
  seen: readonly RecordedCall[];
  send: (signal: AbortSignal) => Promise<Response>;
};

export const expectAborted = async (
  open: (hanging: Promise<never>) => Promise<Streaming>,
): Promise<void> => {
  const hanging = Promise.withResolvers<never>();
  const { seen, send } = await open(hanging.promise);
  const client = new AbortController();
  const response = await send(client.signal);
  const reader = response.body!.getReader();
  await reader.read();
  const { signal } = seen[0]!.options;
  const aborted = new Promise((resolve) => signal!.addEventListener('abort', resolve));
  client.abort();
  await aborted;
  hanging.reject(new ServiceError('CANCELLED', 'gone'));
  await expect(reader.read()).rejects.toThrow('abort');
};
