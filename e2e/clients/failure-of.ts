import type { Failure, TestClient } from './test-client.ts';

/** Returns the client's error for a call that must fail. Throws if the call succeeds. */
export const failureOf = async (client: TestClient, call: Promise<unknown>): Promise<Failure> => {
  let answer: unknown;
  try {
    answer = await call;
  } catch (error) {
    return client.toFailure(error);
  }
  throw new Error(
    `${client.name} returned an answer instead of an error: ${JSON.stringify(answer)}`,
  );
};
