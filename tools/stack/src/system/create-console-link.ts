const PATH = '/v1/console/links';
const TIMEOUT_MS = 30_000;

export type ConsoleLink = { url: string; expiresAt: string };

/**
 * Returns a link that signs in to the console once, within 10 minutes, as the API key does. Throws
 * if the system does not create one.
 */
export const createConsoleLink = async ({
  baseUrl,
  apiKey,
}: {
  baseUrl: string;
  apiKey: string;
}): Promise<ConsoleLink> => {
  const response = await fetch(`${baseUrl}${PATH}`, {
    method: 'POST',
    // A redirect must not forward the API key to another host.
    redirect: 'error',
    headers: { 'x-api-key': apiKey },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new Error(`Nothing answers at ${baseUrl}: is the system running?`, { cause });
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${PATH} was answered with ${response.status}: ${text}`);
  return (JSON.parse(text) as { link: ConsoleLink }).link;
};
