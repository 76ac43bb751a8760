import type { CallResponse } from '../../faults/client.ts';

const CODE = 'unavailable';
const SHOWN = 5;
const TEXT_LENGTH = 200;

/** Returns a violation for each response, of at most five, that is not Witan's refusal with 503. */
export const findOutageViolations = (responses: readonly CallResponse[]): string[] => {
  if (responses.length === 0) return ['no call was made during the outage'];
  return responses
    .filter((response) => !isRefusal(response))
    .slice(0, SHOWN)
    .map(({ status, text }) => `during the outage: ${status} ${text.slice(0, TEXT_LENGTH)}`);
};

const isRefusal = ({ status, text }: CallResponse): boolean =>
  status === 503 && readCode(text) === CODE;

/** Returns the error code of a JSON body; undefined if it is not JSON, like that of a proxy. */
const readCode = (text: string): unknown => {
  try {
    return (JSON.parse(text) as { error?: { code?: unknown } } | null)?.error?.code;
  } catch {
    return undefined;
  }
};
