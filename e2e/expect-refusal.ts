import { expect } from '@jest/globals';
import type { Answer } from './http-client.ts';

export type Refusal = { status: number; type?: string; code: string | null; param?: string | null };

const INVALID_REQUEST = 'invalid_request_error';
/** Matches internal details that a client must not see: files, hosts, SQL, libraries. */
const INTERNAL_DETAILS =
  /node_modules|\.[tj]s\b|\\n *at \w|127\.0\.0\.1|localhost|postgres|select |undici/i;

/**
 * Expects an error of the chat-completions paths, with exactly the four members of that dialect.
 */
export const expectChatRefusal = (answer: Answer, refusal: Refusal): void => {
  expectRefusal(answer, refusal, {});
};

/**
 * Expects an error of the messages paths, with exactly the members of that dialect and the request
 * id.
 */
export const expectMessageRefusal = (
  answer: Answer,
  { status, type = INVALID_REQUEST }: Pick<Refusal, 'status' | 'type'>,
): void => {
  const request_id = answer.headers.get('request-id');
  const error = { type, message: expect.any(String) };
  expect([answer.status, answer.json]).toEqual([status, { type: 'error', error, request_id }]);
  expect(request_id).toBe(answer.headers.get('x-request-id'));
  expectNoInternals(answer);
};

/** Expects an error of the native paths, with `details` if `invalidFields` is given. */
export const expectNativeRefusal = (
  answer: Answer,
  refusal: Refusal,
  invalidFields?: readonly object[],
): void => {
  const requestId = answer.headers.get('x-request-id');
  expectRefusal(answer, refusal, {
    ...(invalidFields ? { details: invalidFields } : {}),
    requestId,
  });
};

const expectRefusal = (
  answer: Answer,
  { status, type = INVALID_REQUEST, code, param = null }: Refusal,
  extraMembers: object,
): void => {
  const error = { message: expect.any(String), type, param, code, ...extraMembers };
  expect([answer.status, answer.json]).toEqual([status, { error }]);
  expectNoInternals(answer);
};

const expectNoInternals = (answer: Answer): void => {
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9_-]{8,128}$/);
  expect(answer.headers.has('x-service-proof')).toBe(false);
  expect(answer.text).not.toMatch(INTERNAL_DETAILS);
};
