import type { Failure, TestClient } from './test-client.ts';

/** What the user of a client learns of a call that fails. Throws when it does not. */
export const failureOf = async (client: TestClient, call: Promise<unknown>): Promise<Failure> => {
  let answer: unknown;
  try {
    answer = await call;
  } catch (error) {
    return client.describe(error);
  }
  throw new Error(`${client.name} took this for an answer: ${JSON.stringify(answer)}`);
};
