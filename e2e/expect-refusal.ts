import { expect } from '@jest/globals';
import type { Answer } from './http-client.ts';

/** What an error says beside its message. */
export type Refusal = { status: number; type?: string; code: string | null; param?: string | null };

const INVALID = 'invalid_request_error';
/** What a caller must never see of the inside: files, hosts, SQL, libraries. */
const INTERNAL =
  /node_modules|\.[tj]s\b|\\n *at \w|127\.0\.0\.1|localhost|postgres|select |undici/i;

/** The exact shape of an error on the chat-completions paths: four keys and nothing else. */
export const expectChatRefusal = (answer: Answer, refusal: Refusal): void => {
  expectRefusal(answer, refusal, {});
};

/** The exact shape of an error on the messages paths, named by the request's id. */
export const expectMessageRefusal = (
  answer: Answer,
  { status, type = INVALID }: Pick<Refusal, 'status' | 'type'>,
): void => {
  const request_id = answer.headers.get('request-id');
  const error = { type, message: expect.any(String) };
  expect([answer.status, answer.json]).toEqual([status, { type: 'error', error, request_id }]);
  expect(request_id).toBe(answer.headers.get('x-request-id'));
  expectNothingInternal(answer);
};

/** The exact shape of an error on the native paths: `details` are there when `faults` are given. */
export const expectNativeRefusal = (
  answer: Answer,
  refusal: Refusal,
  faults?: readonly object[],
): void => {
  const requestId = answer.headers.get('x-request-id');
  expectRefusal(answer, refusal, { ...(faults ? { details: faults } : {}), requestId });
};

const expectRefusal = (
  answer: Answer,
  { status, type = INVALID, code, param = null }: Refusal,
  more: object,
): void => {
  const error = { message: expect.any(String), type, param, code, ...more };
  expect([answer.status, answer.json]).toEqual([status, { error }]);
  expectNothingInternal(answer);
};

const expectNothingInternal = (answer: Answer): void => {
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9_-]{8,128}$/);
  expect(answer.headers.has('x-service-proof')).toBe(false);
  expect(answer.text).not.toMatch(INTERNAL);
};
