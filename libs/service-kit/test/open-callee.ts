import { generateKeyPairSync } from 'node:crypto';
import type { ServerCredentials } from '@grpc/grpc-js';
import { createLog } from '../src/log/create-log.ts';
import { createTokenIssuer, createTokenVerifier } from '../src/rpc/caller-token.ts';
import { createDispatcher } from '../src/rpc/dispatcher.ts';
import type { Dispatcher } from '../src/rpc/dispatcher.ts';
import { openGrpcServer } from '../src/rpc/grpc-server.ts';
import type { Implementation } from '../src/rpc/transport.ts';
import { sessions } from '../src/sessions/sessions.ts';
import { allowAll } from './allow-all.ts';

const TIMEOUT_MS = 25_000;

export const CALL = { timeoutMs: TIMEOUT_MS, workspaceId: 'ws_a', requestId: 'req-12345678' };

export type Callee = {
  dispatcher: Dispatcher;
  port: number;
  address: string;
  token: () => string;
  stop: (timeoutMs: number) => Promise<void>;
};

type CalleeOptions = {
  port?: number;
  credentials?: ServerCredentials;
  onVerified?: (count: number) => void;
};

const DISCARD = { write: () => {} };
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const publicKeys = { friend: publicKey.export({ type: 'spki', format: 'pem' }).toString() };

export const openCallee = async (
  implementations: readonly Implementation[],
  options: CalleeOptions = {},
): Promise<Callee> => {
  const dispatcher = createDispatcher({
    implementations,
    callers: { friend: allowAll(implementations) },
    log: createLog({ service: 'callee', level: 'silent', destination: DISCARD }),
  });
  const verify = createTokenVerifier({ audience: 'callee', publicKeys });
  let verified = 0;
  const server = await openGrpcServer({
    dispatcher,
    link: sessions,
    address: `127.0.0.1:${options.port ?? 0}`,
    ...(options.credentials ? { credentials: options.credentials } : {}),
    verifyCaller: (token) => {
      verified += 1;
      options.onVerified?.(verified);
      return verify(token);
    },
  });
  return {
    dispatcher,
    port: server.port,
    address: `127.0.0.1:${server.port}`,
    token: createTokenIssuer({ caller: 'friend', audience: 'callee', privateKey }),
    stop: server.stop,
  };
};
