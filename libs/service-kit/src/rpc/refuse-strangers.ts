import { ServerInterceptingCall } from '@grpc/grpc-js';
import type { ServerInterceptor } from '@grpc/grpc-js';
import { METADATA } from './grpc-method.ts';
import { toGrpcStatus } from './status.ts';

/**
 * Ends a call whose caller does not prove who it is before a byte of its request is read: a message
 * may have 40 MiB, and is decoded before a handler sees the call. `paths` are those that need a
 * caller; others, such as health, pass.
 */
export const refuseStrangers =
  (verifyCaller: (token: string) => string, paths: ReadonlySet<string>): ServerInterceptor =>
  ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, admit) => {
            try {
              if (paths.has(path)) verifyCaller(String(metadata.get(METADATA.token)[0] ?? ''));
            } catch (error) {
              call.sendStatus(toGrpcStatus(error));
              return;
            }
            admit(metadata);
          },
        }),
    });
