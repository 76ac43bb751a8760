import { Client, credentials } from '@grpc/grpc-js';

/** Wire form of `HealthCheckResponse { status: SERVING }` (grpc.health.v1). */
const SERVING = '0801';
const DEADLINE_MS = 5_000;

export const fetchHealth = async (grpcPort: number): Promise<boolean> => {
  const client = new Client(`127.0.0.1:${grpcPort}`, credentials.createInsecure());
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        '/grpc.health.v1.Health/Check',
        (empty: Buffer) => empty,
        (answer: Buffer) => answer.toString('hex') === SERVING,
        Buffer.alloc(0),
        { deadline: Date.now() + DEADLINE_MS },
        (error, isServing) => (error ? reject(error) : resolve(isServing === true)),
      );
    });
  } finally {
    client.close();
  }
};
