import { ServerInterceptingCall } from '@grpc/grpc-js';
import type { ServerInterceptor } from '@grpc/grpc-js';
import { METADATA } from './grpc-method.ts';
import { toGrpcStatus } from './status.ts';

/**
 * Rejects a call with an invalid caller token before its request is read, because a request of up
 * to 40 MiB would be decoded before the handler runs. Only the methods in `paths` need a token;
 * others, such as health, do not.
 */
export const authenticateCallers =
  (verifyCaller: (token: string) => string, paths: ReadonlySet<string>): ServerInterceptor =>
  ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, acceptMetadata) => {
            try {
              if (paths.has(path)) verifyCaller(String(metadata.get(METADATA.token)[0] ?? ''));
            } catch (error) {
              call.sendStatus(toGrpcStatus(error));
              return;
            }
            acceptMetadata(metadata);
          },
        }),
    });
