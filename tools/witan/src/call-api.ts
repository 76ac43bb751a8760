import type { Api } from './find-api.ts';

const TIMEOUT_MS = 30_000;

/**
 * Returns the JSON object of `GET path`. Throws if nothing responds, or if the response is an error
 * or not a JSON object.
 */
export const callApi = async ({ baseUrl, apiKey }: Api, path: string): Promise<object> => {
  const response = await fetch(`${baseUrl}${path}`, {
    // A redirect must not forward the API key to another host.
    redirect: 'error',
    headers: { 'x-api-key': apiKey },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new Error(`Nothing answers at ${baseUrl}: is the system running?`, { cause });
  });
  const body = parseObject(await response.text());
  if (response.ok && body) return body;
  const { error } = (body ?? {}) as { error?: { message?: unknown } };
  const detail = typeof error?.message === 'string' ? `: ${error.message}` : '.';
  throw new Error(`${baseUrl} answered ${response.status} to GET ${path}${detail}`);
};

const parseObject = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};
