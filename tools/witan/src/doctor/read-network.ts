import { topology } from '@witan/contracts/topology';
import { inspectBroker } from '@witan/service-kit';
import { choosePort } from '@witan/stack/postgres/choose-port';
import {
  assertValidUrl,
  describeError,
  listWithoutCredentials,
  withoutCredentials,
} from './check.ts';
import type { Installation } from './find-installation.ts';
import type { BrokerFacts } from './judge-broker.ts';
import type { ApiFacts, ReadinessFacts } from './judge-machine.ts';

const TIMEOUT_MS = 10_000;
const HTTP_PORT = 8080;

/** Inspects the broker; changes nothing. Never rejects. */
export const readBroker = async (url: string): Promise<BrokerFacts> => {
  const place = listWithoutCredentials(url);
  const wantedBytes = topology.streams.reduce((sum, { maxBytes }) => sum + maxBytes, 0);
  try {
    assertValidUrl(place);
    return { place, wantedBytes, inspection: await inspectBroker(url, topology) };
  } catch (error) {
    return { place, error };
  }
};

export type ApiState = {
  api: ApiFacts;
  /** Difference of the API's header `date` from this machine; undefined without the header. */
  offsetMs: number | undefined;
  /** Published public keys in PEM; undefined if they cannot be read. */
  publishedKeys: readonly string[] | undefined;
};

/** Calls the API without and with its key, which goes nowhere else: redirects are refused. */
export const readApi = async ({
  baseUrl,
  apiKey,
}: NonNullable<Installation['api']>): Promise<ApiState> => {
  const place = withoutCredentials(baseUrl);
  try {
    assertValidUrl(place);
    const response = await request(`${baseUrl}/v1/gateway/public-key`);
    const offset = Date.parse(response.headers.get('date') ?? '') - Date.now();
    const offsetMs = Number.isNaN(offset) ? undefined : offset;
    const keys = response.ok ? toPublicKeys(await response.json()) : undefined;
    const headers = { 'x-api-key': apiKey ?? '' };
    const called = apiKey ? await request(`${baseUrl}/v1/models`, headers) : undefined;
    const status = called?.status ?? (response.status >= 500 ? response.status : undefined);
    return { api: { baseUrl: place, status }, offsetMs, publishedKeys: keys };
  } catch (error) {
    const message = describeError(error).replaceAll(baseUrl, place);
    const api = { baseUrl: place, error: message };
    return { api, offsetMs: undefined, publishedKeys: undefined };
  }
};

const request = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });

const toPublicKeys = (body: unknown): string[] | undefined => {
  const { keys } = (body ?? {}) as { keys?: readonly { publicKey?: unknown }[] };
  if (!Array.isArray(keys)) return undefined;
  return keys.flatMap(({ publicKey }) => (typeof publicKey === 'string' ? [publicKey] : []));
};

/** Reads `/readyz` of each admin port. */
export const readReadiness = async (
  adminUrls: Readonly<Record<string, string>>,
): Promise<ReadinessFacts[]> =>
  await Promise.all(
    Object.entries(adminUrls).map(async ([service, url]) => {
      const body: unknown = await request(`${url}/readyz`).then(
        (response) => response.json(),
        () => undefined,
      );
      const { checks } = (body ?? {}) as { checks?: Readonly<Record<string, string>> };
      return { service, url, checks };
    }),
  );

/** Returns whether the next `npm start` would get its port. */
export const readPort = async ({
  env,
}: Pick<Installation, 'env'>): Promise<{ port: number; isFree: boolean }> => {
  const port = Number(env['PORT']?.trim() || HTTP_PORT);
  const isFree = await choosePort({ wanted: port }).then(
    () => true,
    () => false,
  );
  return { port, isFree };
};
